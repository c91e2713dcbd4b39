/** The console shows and does nothing without a key that is listed now: every route, every way to lose the key. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { generateKey } from "../../src/gateway/keyring";
import { consoleRoutes } from "../../src/protocol/other-routes";
import { createMarker, expectNoContent, headersText } from "../support/gate/marker";
import { advanceTime } from "../support/gate/fixture";
import { consoleUserOf, personAt, signIn, type ConsoleUser } from "../support/console";
import { createOwner, type TestOwner } from "../support/test-owner";
import { newKey, ownersText } from "../support/owners";

afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 60 * 60 * 1000;

interface ConsoleFixture {
  readonly marker: string;
  readonly owner: TestOwner;
  readonly session: { readonly id: string; readonly token: string };
  readonly consoleUser: ConsoleUser;
  readonly form: string;
}

async function createFixture(): Promise<ConsoleFixture> {
  const marker = createMarker();
  const owner = createOwner();
  const session = await owner.create({
    title: `${marker}-title`,
    labels: { [`l`]: `${marker}-label` },
    fields: { secret: `${marker}-field` },
  });
  await expect.poll(() => owner.row(session.id)).toBeDefined();
  const consoleUser = await signIn(owner.settings, owner.key);
  return { marker, owner, session, consoleUser, form: await consoleUser.formToken() };
}

type SendRequest = (
  consoleUser: ConsoleUser,
  fixture: ConsoleFixture,
) => ReturnType<ConsoleUser["post"]>;

const post =
  (
    path: (fixture: ConsoleFixture) => string,
    more: Readonly<Record<string, string>> = {},
  ): SendRequest =>
  ({ person }, fixture) =>
    person.go("POST", path(fixture), { form: fixture.form, ...more });
const get =
  (path: (fixture: ConsoleFixture) => string): SendRequest =>
  ({ person }, fixture) =>
    person.go("GET", path(fixture));

const at = (rest: string) => (fixture: ConsoleFixture) =>
  `/console/sessions/${fixture.session.id}${rest}`;

/** Every route that shows or does something after sign-in. The stream is tested below. */
const REQUESTS: Readonly<Record<string, readonly SendRequest[]>> = {
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

const TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
  consoleLive: "tested below: it sends numbers only",
  consoleSessionLive: "tested below: it sends numbers only",
  showEntry: "part of sign-in; tested in console.test.ts",
  redeemEntry: "part of sign-in; tested in console.test.ts",
  signIn: "part of sign-in; tested in console.test.ts",
  signOut: "shows nothing; tested in console.test.ts",
};

it("every route of the console is in this table, or has a reason not to be", () => {
  const known = [...Object.keys(REQUESTS), ...Object.keys(TESTED_ELSEWHERE)].sort();
  expect(known).toEqual(Object.keys(consoleRoutes).sort());
});

const LOSSES: Readonly<
  Record<string, (fixture: ConsoleFixture) => Promise<ConsoleUser> | ConsoleUser>
> = {
  "nobody is signed in": ({ owner }) => consoleUserOf(personAt(owner.settings)),
  "the key was removed from OWNERS": ({ owner, consoleUser }) =>
    consoleUserOf(
      personAt({ OWNERS: ownersText({ [owner.name]: [newKey()] }) }, consoleUser.person.cookies),
    ),
  "the cookie has expired": ({ consoleUser }) => {
    advanceTime(13 * HOUR_MS);
    return consoleUser;
  },
  "the cookie was altered": ({ owner, consoleUser }) =>
    consoleUserOf(
      personAt(
        owner.settings,
        new Map(
          [...consoleUser.person.cookies].map(([name, value]) => [
            name,
            `${value.slice(0, -3)}AAA`,
          ]),
        ),
      ),
    ),
  "the cookie was sealed by another server": ({ owner, consoleUser }) => {
    const SEALING_KEYS = JSON.stringify([generateKey("other")]);
    return consoleUserOf(personAt({ ...owner.settings, SEALING_KEYS }, consoleUser.person.cookies));
  },
  "the cookie is that of another owner": async () => {
    const other = createOwner();
    await other.create({ title: "theirs" });
    return signIn(other.settings, other.key);
  },
};

describe.each(Object.entries(LOSSES))("if %s", (_, lose) => {
  // Shows CO-2.
  it("no page shows anything of the session, and nothing is done", async () => {
    const fixture = await createFixture();
    const read = () =>
      fixture.owner.client.on(fixture.session, "GET", "", { token: fixture.session.token });
    const before = (await read()).body.session;
    const consoleUser = await lose(fixture);
    for (const go of Object.values(REQUESTS).flat()) {
      const { status, headers, html } = await go(consoleUser, fixture);
      expectNoContent({ text: `${headersText(headers)}\n${html}` }, fixture.marker);
      expect(html).not.toContain("rtok_");
      expect([200, 401, 403, 404]).toContain(status);
    }
    vi.useRealTimers();
    const after = (await read()).body.session;
    expect(after).toEqual(before);
  });

  // Shows CO-2.
  it("the stream of the session sends nothing", async () => {
    const fixture = await createFixture();
    const consoleUser = await lose(fixture);
    const seen = await consoleUser.person.go("GET", `/console/sessions/${fixture.session.id}/live`);
    expect([204, 401]).toContain(seen.status);
    expectNoContent({ text: seen.html }, fixture.marker);
  });
});

/** Another owner has a stream of its own. */
const WITHOUT_STREAM = Object.entries(LOSSES).filter(([name]) => !name.includes("another owner"));

it.each(WITHOUT_STREAM)("if %s the stream of the list sends nothing", async (_, lose) => {
  const fixture = await createFixture();
  const consoleUser = await lose(fixture);
  const seen = await consoleUser.person.go("GET", "/console/live");
  expect(seen.status).toBe(401);
  expectNoContent({ text: seen.html }, fixture.marker);
});

it("a key with rights does show the session, so the table is able to fail", async () => {
  const fixture = await createFixture();
  const shown = await Promise.all(
    [
      ...(REQUESTS["consoleList"] ?? []).slice(0, 1),
      ...(REQUESTS["consoleSession"] ?? []),
      ...(REQUESTS["consoleExport"] ?? []),
    ].map((go) => go(fixture.consoleUser, fixture)),
  );
  for (const { status, html } of shown) {
    expect(status).toBe(200);
    expect(html).toContain(fixture.marker);
  }
});

// Shows CO-2.
it("a cookie of the console is accepted by the console only", async () => {
  const { owner, consoleUser, session } = await createFixture();
  const cookie = [...consoleUser.person.cookies]
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");
  for (const path of ["/sessions", `/sessions/${session.id}`, "/sessions/changes"]) {
    const plain = await personAt(owner.settings).go("GET", path, undefined, { Cookie: cookie });
    expect(plain.status).toBe(401);
  }
});
