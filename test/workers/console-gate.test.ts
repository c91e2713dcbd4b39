/** The console shows and does nothing without a key that is listed now: every route, every way to lose it. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { generateKey } from "../../src/gateway/keyring";
import { consoleRoutes } from "../../src/protocol/other-routes";
import { drawMarker, expectNoContent, headersText } from "../support/gate/marker";
import { passTime } from "../support/gate/stage";
import { deskOf, personAt, signIn, type Desk } from "../support/console";
import { ownerOf, type TestOwner } from "../support/owned";
import { newKey, ownersText } from "../support/owners";

afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 60 * 60 * 1000;

interface Stage {
  readonly marker: string;
  readonly owner: TestOwner;
  readonly session: { readonly id: string; readonly token: string };
  readonly desk: Desk;
  readonly form: string;
}

async function setStage(): Promise<Stage> {
  const marker = drawMarker();
  const owner = ownerOf();
  const session = await owner.begin({
    title: `${marker}-title`,
    labels: { [`l`]: `${marker}-label` },
    fields: { secret: `${marker}-field` },
  });
  await expect.poll(() => owner.row(session.id)).toBeDefined();
  const desk = await signIn(owner.settings, owner.key);
  return { marker, owner, session, desk, form: await desk.formToken() };
}

type Go = (desk: Desk, stage: Stage) => ReturnType<Desk["post"]>;

const post =
  (path: (stage: Stage) => string, more: Readonly<Record<string, string>> = {}): Go =>
  ({ person }, stage) =>
    person.go("POST", path(stage), { form: stage.form, ...more });
const get =
  (path: (stage: Stage) => string): Go =>
  ({ person }, stage) =>
    person.go("GET", path(stage));

const at = (rest: string) => (stage: Stage) => `/console/sessions/${stage.session.id}${rest}`;

/** Every route that shows or does something for who is signed in; a stream is tried below. */
const WAYS: Readonly<Record<string, readonly Go[]>> = {
  consoleList: [get(() => "/console"), get(() => "/console?q=title&span=month")],
  consoleSession: [get(at(""))],
  consoleExport: [get(at("/export"))],
  askAction: [get(at("/cancel")), get(at("/open"))],
  takeConsoleAction: [
    post(at("/open"), { life: "day" }),
    post(at("/cancel")),
    post(at("/pause")),
    post(at("/extend"), { life: "week" }),
    post(at("/labels"), { labels: "a=b" }),
    post(at("/revoke"), { participant: "par_1" }),
    post(at("/purge"), { confirm: "yes" }),
  ],
};

const OTHERS: Readonly<Record<string, string>> = {
  consoleLive: "tried below: it says numbers only",
  consoleSessionLive: "tried below: it says numbers only",
  showEntry: "the way in; tried in console.test.ts",
  redeemEntry: "the way in; tried in console.test.ts",
  signIn: "the way in; tried in console.test.ts",
  signOut: "shows nothing; tried in console.test.ts",
};

it("every route of the console is in this table, or has its reason", () => {
  const known = [...Object.keys(WAYS), ...Object.keys(OTHERS)].sort();
  expect(known).toEqual(Object.keys(consoleRoutes).sort());
});

const LOSSES: Readonly<Record<string, (stage: Stage) => Promise<Desk> | Desk>> = {
  "nobody is signed in": ({ owner }) => deskOf(personAt(owner.settings)),
  "the key left OWNERS": ({ owner, desk }) =>
    deskOf(personAt({ OWNERS: ownersText({ [owner.name]: [newKey()] }) }, desk.person.cookies)),
  "the cookie is past its end": ({ desk }) => {
    passTime(13 * HOUR_MS);
    return desk;
  },
  "the cookie was altered": ({ owner, desk }) =>
    deskOf(
      personAt(
        owner.settings,
        new Map(
          [...desk.person.cookies].map(([name, value]) => [name, `${value.slice(0, -3)}AAA`]),
        ),
      ),
    ),
  "the cookie was sealed by another server": ({ owner, desk }) => {
    const SEALING_KEYS = JSON.stringify([generateKey("other")]);
    return deskOf(personAt({ ...owner.settings, SEALING_KEYS }, desk.person.cookies));
  },
  "the cookie is that of another owner": async () => {
    const other = ownerOf();
    await other.begin({ title: "theirs" });
    return signIn(other.settings, other.key);
  },
};

describe.each(Object.entries(LOSSES))("where %s", (_, lose) => {
  // Shows CO-2.
  it("no page shows anything of the session, and nothing is done", async () => {
    const stage = await setStage();
    const read = () =>
      stage.owner.client.on(stage.session, "GET", "", { token: stage.session.token });
    const before = (await read()).body.session;
    const desk = await lose(stage);
    for (const go of Object.values(WAYS).flat()) {
      const { status, headers, html } = await go(desk, stage);
      expectNoContent({ text: `${headersText(headers)}\n${html}` }, stage.marker);
      expect(html).not.toContain("rtok_");
      expect([200, 401, 403, 404]).toContain(status);
    }
    vi.useRealTimers();
    const after = (await read()).body.session;
    expect(after).toEqual(before);
  });

  // Shows CO-2.
  it("the stream of the session says nothing", async () => {
    const stage = await setStage();
    const desk = await lose(stage);
    const seen = await desk.person.go("GET", `/console/sessions/${stage.session.id}/live`);
    expect([204, 401]).toContain(seen.status);
    expectNoContent({ text: seen.html }, stage.marker);
  });
});

/** Another owner has a stream of its own. */
const WITHOUT_STREAM = Object.entries(LOSSES).filter(([name]) => !name.includes("another owner"));

it.each(WITHOUT_STREAM)("where %s the stream of the list says nothing", async (_, lose) => {
  const stage = await setStage();
  const desk = await lose(stage);
  const seen = await desk.person.go("GET", "/console/live");
  expect(seen.status).toBe(401);
  expectNoContent({ text: seen.html }, stage.marker);
});

it("a key that was given rights shows the session, so that the table can fail", async () => {
  const stage = await setStage();
  const shown = await Promise.all(
    [
      ...(WAYS["consoleList"] ?? []).slice(0, 1),
      ...(WAYS["consoleSession"] ?? []),
      ...(WAYS["consoleExport"] ?? []),
    ].map((go) => go(stage.desk, stage)),
  );
  for (const { status, html } of shown) {
    expect(status).toBe(200);
    expect(html).toContain(stage.marker);
  }
});

// Shows CO-2.
it("a cookie of the console counts for nothing but the console", async () => {
  const { owner, desk, session } = await setStage();
  const cookie = [...desk.person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  for (const path of ["/sessions", `/sessions/${session.id}`, "/sessions/changes"]) {
    const plain = await personAt(owner.settings).go("GET", path, undefined, { Cookie: cookie });
    expect(plain.status).toBe(401);
  }
});
