/** The console without a script: sign-in, what it shows, what it does, and what it refuses. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { verifyExport } from "../../src/verify/verify";
import { callerFrom, inOneWindow, sendFrom } from "../support/caller";
import { entryFor, ownerWith, personAt, signIn } from "../support/console";
import { advanceTime } from "../support/gate/fixture";
import { createOwner, bindOwners, type TestOwner } from "../support/test-owner";
import { newKey } from "../support/owners";
import { hiddenIn } from "../support/person";

afterEach(() => {
  vi.useRealTimers();
});

const MINUTE_MS = 60_000;

async function createListed(owner: TestOwner, body: object = {}) {
  const session = await owner.create(body);
  await expect.poll(() => owner.row(session.id)).toBeDefined();
  return session;
}

const openLink = async (settings: Readonly<Record<string, string>>, code: string) => {
  const person = personAt(settings);
  const preview = await person.go("GET", `/console/enter/${code}`);
  if (preview.status !== 200) return { person, looked: preview, entered: preview };
  const nonce = hiddenIn(preview.html, "nonce");
  const entered = await person.go("POST", `/console/enter/${code}`, { nonce });
  return { person, looked: preview, entered };
};
const linkOf = (lifeMs = 15 * MINUTE_MS) => {
  const owner = createOwner();
  const code = newKey().slice(5);
  const entry = entryFor(code, owner.key, new Date(Date.now() + lifeMs));
  return { owner, code, settings: { ...owner.settings, ...entry } };
};

/** The rows that a page shows, in their order. */
const rowsIn = (html: string): readonly (string | undefined)[] =>
  [...(html.split('id="sessions"')[1] ?? "").matchAll(/>(Row-\d+;)</g)].map(([, name]) => name);

/** The text that a reader sees. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<title>[^<]*<\/title>|<style>[^]*?<\/style>|<[^>]+>/g, "")
    .replaceAll(/\s+/g, " ");

describe("signing in", () => {
  // Shows CO-1.
  it("is a posted form: the key is in no URL, and the cookie holds its sealed hash", async () => {
    const owner = createOwner();
    const person = personAt(owner.settings);
    const { html } = await person.go("GET", "/console");
    expect(html).toContain('<form method="post" action="/console/sign-in"');
    const { person: entered } = await signIn(owner.settings, owner.key);
    const cookie = entered.cookies.get("baton-console") ?? "";
    expect(cookie).not.toContain(owner.key);
    expect(atob(cookie.replaceAll("-", "+").replaceAll("_", "/"))).not.toContain("keyHash");
  });

  // Shows CO-1.
  it("sets a cookie for /console only, which no script and no other site can read", async () => {
    const { settings, key } = createOwner();
    const send = sendFrom({}, settings);
    const first = await send(new Request("http://localhost:8787/console"));
    const nonce = hiddenIn(await first.text(), "nonce");
    const body = new URLSearchParams({ nonce, key, to: "https://evil.example/" }).toString();
    const answer = await send(
      new Request("http://localhost:8787/console/sign-in", {
        method: "POST",
        redirect: "manual",
        headers: {
          Cookie: first.headers.getSetCookie()[0]?.split(";")[0] ?? "",
          "Content-Type": "application/x-www-form-urlencoded",
          "Content-Length": String(body.length),
        },
        body,
      }),
    );
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/console"]);
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^baton-console=[\w-]+; Path=\/console; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
  });

  // Shows CO-1.
  it("refuses a wrong key, asks to wait after too many, and accepts a right one", async () => {
    await inOneWindow(async () => {
      const owner = createOwner();
      const settings = { ...owner.settings, RATE_LIMITS: "{}" };
      const person = personAt(settings);
      const { html } = await person.go("GET", "/console");
      const nonce = hiddenIn(html, "nonce");
      const statuses = new Set<number>();
      for (let nth = 0; nth < 62; nth++) {
        person.cookies.set("baton-console-nonce", nonce);
        const seen = await person.go("POST", "/console/sign-in", { nonce, key: newKey() });
        statuses.add(seen.status);
        if (seen.status === 429) expect(seen.headers.get("Retry-After")).not.toBeNull();
      }
      expect([...statuses]).toEqual([403, 429]);
      person.cookies.set("baton-console-nonce", nonce);
      const right = await person.go("POST", "/console/sign-in", { nonce, key: owner.key });
      expect(right.status).toBe(200);
    });
  });

  // Shows CO-1.
  it("is 501 if there is no key to seal a cookie with", async () => {
    const person = personAt({ ...createOwner().settings, SEALING_KEYS: "" });
    expect((await person.go("GET", "/console")).status).toBe(501);
  });

  // Shows CO-1.
  it("ends with signing out", async () => {
    const owner = createOwner();
    const consoleUser = await signIn(owner.settings, owner.key);
    const out = await consoleUser.post("/console/sign-out");
    expect(out.html).toContain("You are signed out.");
    expect(consoleUser.person.cookies.get("baton-console")).toBe("");
    expect((await consoleUser.person.go("GET", "/console")).html).toContain("/console/sign-in");
  });
});

describe("a one-time link", () => {
  // Shows CO-5.
  it("shows a button on every GET, and opens the console once, on POST", async () => {
    const { code, settings } = linkOf();
    for (let nth = 0; nth < 3; nth++) {
      const { status, html } = await personAt(settings).go("GET", `/console/enter/${code}`);
      expect([status, html.includes("<button")]).toEqual([200, true]);
    }
    const first = await openLink(settings, code);
    expect(first.entered.status).toBe(200);
    expect(first.entered.html).toContain('id="sessions"');
    const second = await openLink(settings, code);
    expect(second.entered.status).toBe(410);
    expect(second.entered.html).toContain("already used");
    expect(second.person.cookies.has("baton-console")).toBe(false);
  });

  // Shows CO-5.
  it("opens nothing after it has expired, with another code, or without the button", async () => {
    const { code, settings } = linkOf();
    expect((await openLink(settings, `${code}x`)).looked.status).toBe(404);
    const pressed = await personAt(settings).go("POST", `/console/enter/${code}`, { nonce: "x" });
    expect(pressed.status).toBe(403);
    advanceTime(16 * MINUTE_MS);
    expect((await openLink(settings, code)).looked.status).toBe(410);
  });

  // Shows CO-5.
  it("opens for one of two who press the button at once", async () => {
    const { code, settings } = linkOf();
    const both = await Promise.all([openLink(settings, code), openLink(settings, code)]);
    expect(both.map(({ entered }) => entered.status).sort()).toEqual([200, 410]);
  });
});

describe("the list", () => {
  // Shows CO-6.
  it("shows what each session waits for, counts, and filters that are in the URL", async () => {
    const owner = createOwner();
    await createListed(owner, {
      title: "Water damage",
      labels: { team: "blue" },
      externalId: "claim-1",
    });
    await createListed(owner, { title: "Other <b>thing</b>" });
    const { person } = await signIn(owner.settings, owner.key);
    const all = await person.go("GET", "/console");
    expect(all.html).toContain("Water damage");
    expect(all.html).toContain("Other &lt;b&gt;thing&lt;/b&gt;");
    expect(textOf(all.html)).toContain("asking for input or a decision 0");
    expect(all.html).toMatch(/Waits for an agent\s*<b>2<\/b>/);
    for (const query of [
      "q=water",
      "label=team:blue",
      "externalId=claim-1",
      "q=water&state=draft&state=finalized",
    ]) {
      const { html, status } = await person.go("GET", `/console?${query}`);
      const [, rows = ""] = html.split('id="sessions"');
      expect([status, rows.includes("Water damage"), rows.includes("thing&lt;")]).toEqual([
        200,
        true,
        false,
      ]);
    }
    const none = await person.go("GET", "/console?waitingLongerThanMs=3600000");
    expect(none.html).toContain("No session matches these filters.");
    const wrong = await person.go("GET", "/console?label=blue");
    expect([wrong.status, wrong.html.includes("This filter cannot be used")]).toEqual([400, true]);
  });

  // Shows CO-6.
  it("pages by cursor: every session once, 50 on a page", async () => {
    const owner = createOwner();
    for (let nth = 0; nth < 52; nth++) await owner.create({ title: `Row-${nth};` });
    await expect.poll(async () => (await owner.list()).counts.total).toBe(52);
    const { person } = await signIn(owner.settings, owner.key);
    const first = (await person.go("GET", "/console?q=row")).html;
    const href = /href="([^"]+cursor=[^"]+)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = (await person.go("GET", href)).html;
    expect([rowsIn(first).length, rowsIn(second).length]).toEqual([50, 2]);
    expect(new Set([...rowsIn(first), ...rowsIn(second)]).size).toBe(52);
  });

  // Shows CO-6.
  it("charts sessions by state, hour by hour", async () => {
    const owner = createOwner();
    const session = await createListed(owner, { title: "One" });
    const before = (await signIn(owner.settings, owner.key)).person;
    expect((await before.go("GET", "/console")).html).toContain("from 0 at the beginning to 1 now");
    advanceTime(2 * 60 * MINUTE_MS);
    await owner.client.on(session, "POST", "/cancel", { token: session.token, body: {} });
    await expect.poll(async () => (await owner.row(session.id)).state).toBe("cancelled");
    const { html } = await before.go("GET", "/console");
    const [picture = ""] = /<svg class="chart"[^]*?<\/svg>/.exec(html) ?? [];
    // Two hours ago, one hour ago: in work. Now: ended otherwise.
    expect(picture.match(/class="working"/g)).toHaveLength(2);
    expect(picture.match(/class="ended"/g)).toHaveLength(1);
  });
});

describe("an action", () => {
  // Shows CO-4.
  it("opens a session for a new participant and shows its token once", async () => {
    const owner = createOwner();
    const session = await createListed(owner, { title: "Lost" });
    await bindOwners(session, owner.settings.OWNERS);
    const consoleUser = await signIn(owner.settings, owner.key);
    const question = await consoleUser.person.go("GET", `/console/sessions/${session.id}/open`);
    expect(question.html).toContain("Open this session");
    const opened = await consoleUser.post(`/console/sessions/${session.id}/open`, {
      "scope/fill": "yes",
      life: "hour",
    });
    const [token = ""] = /rtok_[\w-]+/.exec(opened.html) ?? [];
    const resumed = await owner.client.on(session, "POST", "/resume", { token, body: {} });
    expect(resumed.status, resumed.text).toBe(200);
    const { scopes } = resumed.body.session.participants.at(-1);
    expect(scopes).toEqual(["view", "append", "fill"]);
    const page = await consoleUser.person.go("GET", `/console/sessions/${session.id}`);
    expect(page.html).not.toContain("rtok_");
    expect(page.html).toContain("owner.opened");
    expect(textOf(page.html)).toMatch(/key-\S+ \(software agent\) can act/);
    await bindOwners(session, createOwner().settings.OWNERS);
    const without = await consoleUser.person.go("GET", `/console/sessions/${session.id}`);
    expect(textOf(without.html)).toMatch(/key-\S+ \(software agent\) revoked/);
  });

  // Shows CO-4.
  it("pauses, unpauses, extends, labels, revokes, cancels and removes a session, as the key's owner", async () => {
    const owner = createOwner();
    const session = await createListed(owner, { title: "All of it", actor: { id: "agent-a" } });
    const consoleUser = await signIn(owner.settings, owner.key);
    const sessionPath = `/console/sessions/${session.id}`;
    const read = async () =>
      (await owner.call("GET", `/sessions/${session.id}`, { token: owner.key })).body.session;
    expect((await consoleUser.post(`${sessionPath}/pause`, { reason: "lunch" })).html).toContain(
      "is paused",
    );
    expect((await read()).paused).toBe(true);
    await consoleUser.post(`${sessionPath}/unpause`);
    expect((await read()).paused).toBe(false);
    const before = Date.parse((await read()).expiresAt);
    await consoleUser.post(`${sessionPath}/extend`, { life: "month" });
    expect(Date.parse((await read()).expiresAt)).toBeGreaterThan(before);
    const wrong = await consoleUser.post(`${sessionPath}/labels`, { labels: "team" });
    expect([wrong.status, wrong.html.includes("name=value")]).toEqual([422, true]);
    await consoleUser.post(`${sessionPath}/labels`, { labels: "team=blue\n where = north \n" });
    expect((await read()).labels).toEqual({ team: "blue", where: "north" });
    await consoleUser.post(`${sessionPath}/revoke`, { participant: "par_1" });
    const byToken = await owner.client.on(session, "GET", "", { token: session.token });
    expect(byToken.status).toBe(403);
    const sentences = textOf((await consoleUser.person.go("GET", sessionPath)).html);
    expect(sentences).toContain("agent-a (software agent) acted last, and can no longer act.");
    expect(sentences).toContain("agent-a (software agent) lost access");
    expect(sentences).toMatch(/key-\S+ \(operator\) revoked access: agent-a \(software agent\)/);
    expect(sentences).not.toMatch(/\(operator\) lost access| handoff\.revoked /);
    await consoleUser.post(`${sessionPath}/cancel`, { reason: "not needed" });
    expect((await read()).state).toBe("cancelled");
    const repeated = await consoleUser.post(`${sessionPath}/cancel`);
    expect(repeated.status).toBe(409);
    expect((await consoleUser.post(`${sessionPath}/purge`)).status).toBe(422);
    const removed = await consoleUser.post(`${sessionPath}/purge`, { confirm: "yes" });
    expect(removed.html).toContain("The session was removed");
    expect((await consoleUser.person.go("GET", sessionPath)).status).toBe(410);
  });

  // Shows CO-3.
  it("is not executed by GET, by a form without its token, or by a form of another site", async () => {
    const owner = createOwner();
    const session = await createListed(owner, { title: "Stays" });
    const consoleUser = await signIn(owner.settings, owner.key);
    const path = `/console/sessions/${session.id}/cancel`;
    const form = await consoleUser.formToken();
    await consoleUser.person.go("GET", path);
    const tries = [
      consoleUser.person.go("POST", path, {}),
      consoleUser.person.go("POST", path, { form: `${form.slice(1)}A` }),
      consoleUser.person.go("POST", path, { form }, { Origin: "http://localhost:9999" }),
      consoleUser.person.go("POST", path, { form }, { Origin: "null" }),
      consoleUser.person.go("POST", path, { form }, { "Sec-Fetch-Site": "same-site" }),
      consoleUser.person.go("POST", path, { form }, { "Sec-Fetch-Site": "cross-site" }),
      consoleUser.person.go("POST", "/console/sign-out", {}),
    ];
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(tries.map(() => 403));
    expect((await owner.row(session.id)).state).toBe("draft");
    expect((await consoleUser.person.go("GET", path)).status).toBe(200);
  });

  // Shows CO-4.
  it("needs the right of the key: a key that may only read shows sessions and cannot act", async () => {
    const { settings, key } = ownerWith(["create", "read"]);
    const client = callerFrom(null, settings, { "Baton-Key": key });
    const created = await client.call("POST", "/sessions", { body: { title: "Read only" } });
    const { id } = created.body.session;
    await expect
      .poll(async () => (await client.call("GET", "/sessions")).body.sessions.length)
      .toBe(1);
    const consoleUser = await signIn(settings, key);
    const page = await consoleUser.person.go("GET", `/console/sessions/${id}`);
    expect(page.html).toContain("Read only");
    expect(page.html).toContain("This key can read, but not change anything.");
    expect(page.html).not.toContain(`/console/sessions/${id}/cancel`);
    for (const [action, form] of [
      ["open", {}],
      ["cancel", {}],
      ["pause", {}],
      ["purge", { confirm: "yes" }],
    ] as const) {
      expect((await consoleUser.post(`/console/sessions/${id}/${action}`, form)).status).toBe(403);
    }
    expect((await client.call("GET", "/sessions")).body.sessions[0].state).toBe("draft");
  });

  // Shows CO-4.
  it("exports the log, the document and the files, with private values masked as for the key", async () => {
    const owner = createOwner();
    const session = await createListed(owner, {
      title: "Kept",
      schema: {
        type: "object",
        properties: {
          city: { type: "string" },
          iban: { type: "string", "x-baton": { private: true } },
        },
      },
      fields: { city: "Paris", iban: "DE-canary-89370400" },
    });
    const { person } = await signIn(owner.settings, owner.key);
    const page = await person.go("GET", `/console/sessions/${session.id}`);
    expect(page.html).toContain(`href="/console/sessions/${session.id}/export"`);
    const seen = await person.go("GET", `/console/sessions/${session.id}/export`);
    expect(seen.headers.get("Content-Disposition")).toBe(
      `attachment; filename="${session.id}.ndjson"`,
    );
    expect(seen.headers.get("Access-Control-Allow-Origin")).toBeNull();
    expect(seen.html).toContain("Paris");
    expect(seen.html).not.toContain("canary");
    const verdict = await verifyExport([new TextEncoder().encode(seen.html)], null);
    expect(verdict).toMatchObject({ whole: true, sealed: true });
  });

  // Shows CO-4.
  it("exports nothing for a key that may only create and open", async () => {
    const { settings, key } = ownerWith(["create", "open"]);
    const client = callerFrom(null, settings, { "Baton-Key": key });
    const { id } = (await client.call("POST", "/sessions", { body: { title: "Unread" } })).body
      .session;
    const person = personAt(settings);
    const nonce = hiddenIn((await person.go("GET", "/console")).html, "nonce");
    await person.go("POST", "/console/sign-in", { nonce, key });
    const { status, html } = await person.go("GET", `/console/sessions/${id}/export`);
    expect([status, html.includes("Unread")]).toEqual([403, false]);
  });

  // Shows CO-4.
  it("a key without `read` sees no list", async () => {
    const { settings, key } = ownerWith(["create", "open"]);
    const person = personAt(settings);
    const { html } = await person.go("GET", "/console");
    const seen = await person.go("POST", "/console/sign-in", {
      nonce: hiddenIn(html, "nonce"),
      key,
    });
    expect([seen.status, seen.html.includes('id="sessions"')]).toEqual([403, false]);
  });
});

it("the pages cannot be framed by other origins, and load nothing from them", async () => {
  const owner = createOwner();
  const consoleUser = await signIn(owner.settings, owner.key);
  const { headers } = await consoleUser.person.go("GET", "/console", undefined, {
    Origin: "https://evil.example",
  });
  expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
  expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
  expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
  expect(headers.get("Cache-Control")).toBe("no-store");
});
