/** The life of one link, from its creation to its end. */
import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/env";
import { randomKey } from "../support/client";
import { createLinkedSession, person, SCHEMA, typesOf } from "../support/links";
import { hiddenIn } from "../support/person";
import { client, inside, objectCount, rewrite, rowsWrittenBy, stubOf } from "../support/worker";
import { scaled } from "../support/scale";

const { HANDOFFS, MISSES } = env as unknown as Env;

const CODE = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{5}$/;
const DAY_MS = 24 * 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

/** Another code with a valid check character. */
function otherCode(code: string): string {
  const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const data = Array.from({ length: 12 }, () => alphabet[Math.floor(Math.random() * 32)]).join("");
  const sum = [...data].toReversed().reduce((total, char, index) => {
    const value = alphabet.indexOf(char) * (index % 2 === 0 ? 2 : 1);
    return total + Math.floor(value / 32) + (value % 32);
  }, 0);
  const plain = data + alphabet.charAt((32 - (sum % 32)) % 32);
  const found = `${plain.slice(0, 4)}-${plain.slice(4, 8)}-${plain.slice(8)}`;
  return found === code ? otherCode(code) : found;
}

describe("a link for a person", () => {
  // Shows D-1.
  it("is returned with its URL, code, QR code and expiry, and moves no version", async () => {
    const { made, session } = await createLinkedSession();
    const { handoff } = made.body;
    expect(handoff).toMatchObject({
      to: "human",
      scopes: ["view", "append", "fill"],
      note: "Please fill this",
      singleUse: false,
      takeover: false,
      openedAt: null,
      revoked: false,
    });
    expect(handoff.code).toMatch(CODE);
    expect(handoff.url).toBe(`http://localhost:8787/h/${handoff.code}`);
    expect(handoff.qrUrl).toBe(`${handoff.url}/qr.svg`);
    expect(Date.parse(handoff.expiresAt) - Date.parse(handoff.createdAt)).toBe(DAY_MS);
    expect(made.body.participantToken).toBeUndefined();
    expect(made.body.session.version).toBe(session.answer.body.session.version);
  });

  // Shows D-2.
  it("never outlives the session, nor the requested time", async () => {
    const short = await createLinkedSession({}, { ttlMs: 60_000 });
    expect(short.made.body.handoff.expiresAt).toBe(short.made.body.session.expiresAt);
    const shortLived = await createLinkedSession({ ttlMs: 5_000 });
    const { expiresAt, createdAt } = shortLived.made.body.handoff;
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(5_000);
  });

  // Shows D-3.
  it("is the same link when the request is repeated with its key", async () => {
    const session = await client.create();
    const options = {
      token: session.token,
      key: randomKey(),
      body: { to: "human", scopes: ["fill"] },
    };
    const first = await client.on(session, "POST", "/handoffs", options);
    const second = await client.on(session, "POST", "/handoffs", options);
    expect(second.headers.get("Idempotent-Replayed")).toBe("true");
    expect(second.body.handoff.code).toBe(first.body.handoff.code);
    expect(second.body.resumeToken).toBe(first.body.resumeToken);
    expect((await person().go("GET", `/h/${first.body.handoff.code}`)).status).toBe(200);
  });

  it("refuses options that are for people only, and scopes wider than the maker's own", async () => {
    const session = await client.create();
    const { token } = session;
    const odd = await client.on(session, "POST", "/handoffs", {
      token,
      body: { to: "agent", scopes: ["view"], singleUse: true },
    });
    expect([odd.status, odd.body.code]).toEqual([400, "invalid_request"]);
    const narrow = await client.on(session, "POST", "/handoffs", {
      token,
      body: { to: "agent", scopes: ["handoff"] },
    });
    const wide = await client.on(session, "POST", "/handoffs", {
      token: narrow.body.participantToken,
      body: { to: "human", scopes: ["own"] },
    });
    expect([wide.status, wide.body.code]).toEqual([403, "scope_denied"]);
  });

  it("writes at most three rows, and one more if the alarm moves earlier", async () => {
    const session = await client.create();
    const rows = await rowsWrittenBy(session, () =>
      client.on(session, "POST", "/handoffs", {
        token: session.token,
        body: { to: "human", scopes: ["fill"] },
      }),
    );
    expect(rows).toBeLessThanOrEqual(4);
  });

  // Shows D-3.
  it("is listed again by the alarm if the directory was not notified", async () => {
    const { session, code } = await createLinkedSession();
    // While the session considers it listed, no early alarm lists it before this test does.
    for (const id of await listDurableObjectIds(HANDOFFS)) {
      await runInDurableObject(HANDOFFS.get(id), (_, { storage: { sql } }) => {
        // A directory that was only read, by a test of another file, has no table.
        const tables = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'codes'").toArray();
        if (tables.length > 0) sql.exec("DELETE FROM codes");
      });
    }
    expect((await person().go("GET", `/h/${code}`)).status).toBe(404);
    await rewrite(session, (sql) => {
      const [row] = sql.exec("SELECT participants FROM session").toArray();
      const participants = JSON.parse(String(row?.["participants"])) as {
        link?: { isListed: boolean; code: string };
      }[];
      for (const one of participants) if (one.link) one.link.isListed = false;
      sql.exec("UPDATE session SET participants = ?", JSON.stringify(participants));
    });
    await runDurableObjectAlarm(stubOf(session));
    await expect.poll(async () => (await person().go("GET", `/h/${code}`)).status).toBe(200);
  });

  it("is drawn as a QR code without a lookup", async () => {
    const { made } = await createLinkedSession();
    const qr = await person().go("GET", new URL(made.body.handoff.qrUrl).pathname);
    expect(qr.headers.get("Content-Type")).toMatch(/^image\/svg\+xml/);
    expect(qr.html).toMatch(/^<svg/);
  });
});

describe("previewing a link", () => {
  // Shows D-4.
  it("by GET and HEAD shows only that there is a request and changes no row", async () => {
    const { session, code, token } = await createLinkedSession(
      {},
      { title: "Secret title", schema: SCHEMA },
    );
    const before = await typesOf(session, token);
    // The alarm that was set for the link only has to set the next one.
    await runDurableObjectAlarm(stubOf(session));
    const linkHolder = person();
    let page = "";
    const rows = await rowsWrittenBy(session, async () => {
      for (let n = 0; n < scaled(25, 500); n++) {
        const got = await linkHolder.go("GET", `/h/${code}`);
        const head = await linkHolder.go("HEAD", `/h/${code}`);
        expect([got.status, head.status]).toEqual([200, 200]);
        page = got.html;
      }
    });
    expect(rows).toBe(0);
    expect(await typesOf(session, token)).toEqual(before);
    expect(page).not.toContain("Secret title");
    expect(page).not.toContain("Please fill this");
    expect(page).not.toContain(session.id);
  });

  it("sends headers that prevent caching, framing and cross-origin referrers", async () => {
    const { code } = await createLinkedSession();
    const { headers } = await person().go("GET", `/h/${code}`);
    expect(headers.get("Content-Security-Policy")).toContain("script-src 'self'");
    expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("Content-Security-Policy")).not.toContain("unsafe");
    expect(headers.get("Referrer-Policy")).toBe("same-origin");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
  });

  it("in another spelling redirects to the canonical spelling", async () => {
    const { code } = await createLinkedSession();
    const typed = code.toLowerCase().replaceAll("-", "").replaceAll("1", "l").replaceAll("0", "o");
    const { status, headers } = await person().go("GET", `/h/${typed}`);
    expect([status, headers.get("Location")]).toEqual([302, `/h/${code}`]);
  });
});

describe("opening a link", () => {
  // Shows D-6.
  it("makes a person a participant, authenticated by a cookie of that link only", async () => {
    const { session, code, token } = await createLinkedSession();
    const linkHolder = person();
    const page = await linkHolder.open(code, "Ada");
    expect(page.status, page.html).toBe(200);
    expect(page.html).toContain("Please fill this");
    expect(page.html).toContain('name="f/city"');
    const { body } = await client.on(session, "GET", "", { token });
    expect(body.session.participants[1]).toMatchObject({
      id: "par_2",
      actor: { kind: "human", name: "Ada" },
      scopes: ["view", "append", "fill"],
    });
    const types = await typesOf(session, token);
    expect(types.slice(-5)).toEqual([
      "handoff.link_issued",
      "handoff.created",
      "handoff.opened",
      "token.accessed",
      "token.issued",
    ]);
  });

  // Shows D-5.
  it("needs the nonce of its own page, and a request that is not from another site", async () => {
    const { session, code, token } = await createLinkedSession();
    const before = await typesOf(session, token);
    const linkHolder = person();
    const { html } = await linkHolder.go("GET", `/h/${code}`);
    const nonce = hiddenIn(html, "nonce");
    const wrong = await linkHolder.go("POST", `/h/${code}`, { nonce: "0".repeat(32) });
    const none = await linkHolder.go("POST", `/h/${code}`, {});
    const cross = await linkHolder.go(
      "POST",
      `/h/${code}`,
      { nonce },
      { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
    );
    const sibling = await linkHolder.go(
      "POST",
      `/h/${code}`,
      { nonce },
      { "Sec-Fetch-Site": "same-site" },
    );
    const withoutCookie = await person().go("POST", `/h/${code}`, { nonce });
    expect([wrong, none, cross, sibling, withoutCookie].map(({ status }) => status)).toEqual(
      Array.from({ length: 5 }, () => 403),
    );
    expect(await typesOf(session, token)).toEqual(before);
    expect((await linkHolder.go("POST", `/h/${code}`, { nonce })).status).toBe(200);
  });

  // Shows D-8.
  it("works once for a single-use link, however many try at once", async () => {
    const { session, code, token } = await createLinkedSession({ singleUse: true });
    const guests = Array.from({ length: 8 }, () => person());
    const opened = await Promise.all(guests.map((linkHolder) => linkHolder.open(code)));
    expect(opened.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 410),
    ]);
    const types = await typesOf(session, token);
    expect(types.filter((type) => type === "handoff.opened")).toHaveLength(1);
    expect(types).not.toContain("handoff.resumed");
    expect((await person().go("GET", `/h/${code}`)).html).toContain("already opened");
  });

  // Shows D-9.
  it("on a second device takes over until the first save, and notifies the first device", async () => {
    const { session, code, token } = await createLinkedSession();
    const first = person();
    const second = person();
    const page = await first.open(code);
    expect((await second.open(code)).status).toBe(200);
    expect(
      (await typesOf(session, token)).filter((type) => type === "handoff.resumed"),
    ).toHaveLength(1);
    const superseded = await first.go("GET", `/h/${code}`);
    expect([superseded.status, superseded.html.includes("another device")]).toEqual([409, true]);
    const late = await first.press(code, page.html, "save", { "f/city": "Oslo" });
    expect(late.status).toBe(409);
    const current = await second.go("GET", `/h/${code}`);
    expect((await second.press(code, current.html, "save", { "f/city": "Bergen" })).status).toBe(
      200,
    );
    const third = await person().go("GET", `/h/${code}`);
    expect([third.status, third.html.includes("in use")]).toEqual([409, true]);
  });

  // Shows D-9.
  it("takes over even after a save if the link allows it", async () => {
    const { code } = await createLinkedSession({ takeover: true });
    const first = person();
    const page = await first.open(code);
    await first.press(code, page.html, "save", { "f/city": "Oslo" });
    expect((await person().open(code)).status).toBe(200);
  });

  it("works while the agent continues to write", async () => {
    const { session, code, token } = await createLinkedSession();
    const wrote = await client.on(session, "PATCH", "", { token, body: { fields: { age: 3 } } });
    expect(wrote.status).toBe(200);
    const page = await person().open(code);
    expect(page.html).toContain('value="3"');
  });

  // Shows D-10.
  it("no longer works once expired, revoked or finished, and the page explains why", async () => {
    const revoked = await createLinkedSession();
    await client.on(revoked.session, "DELETE", `/handoffs/${revoked.id}`, { token: revoked.token });
    const ended = await createLinkedSession();
    await client.on(ended.session, "POST", "/cancel", { token: ended.token, body: {} });
    const gone = await createLinkedSession();
    await client.on(gone.session, "DELETE", "", { token: gone.token });
    vi.useFakeTimers({ toFake: ["Date"] });
    const expired = await createLinkedSession({ ttlMs: 1_000 });
    vi.setSystemTime(Date.now() + 1_000);
    for (const [{ code }, expectedText] of [
      [revoked, "withdrawn"],
      [ended, "finished"],
      [gone, "removed"],
      [expired, "expired"],
    ] as const) {
      const preview = await person().go("GET", `/h/${code}`);
      const tried = await person().open(code);
      expect([preview.status, preview.html.includes(expectedText)]).toEqual([410, true]);
      expect(tried.status).toBe(403);
    }
  });

  // Shows D-10.
  it("is listed and revoked like any handoff, and revoking ends the page", async () => {
    const { session, code, id, token } = await createLinkedSession();
    const linkHolder = person();
    await linkHolder.open(code);
    const list = await client.on(session, "GET", "/handoffs", { token });
    expect(list.body.handoffs).toMatchObject([
      { id, to: "human", openedAt: expect.any(String), revoked: false },
    ]);
    expect(list.text).not.toContain(code);
    await client.on(session, "DELETE", `/handoffs/${id}`, { token });
    expect((await linkHolder.go("GET", `/h/${code}`)).status).toBe(410);
  });
});

describe("the cookie", () => {
  // Shows D-7.
  it("is accepted only under its own link, and never as a token", async () => {
    const one = await createLinkedSession();
    const two = await createLinkedSession();
    const linkHolder = person();
    await linkHolder.open(one.code);
    const cookie = linkHolder.cookies.get("baton") ?? "";
    const other = await linkHolder.go("GET", `/h/${two.code}`);
    expect([other.status, other.html.includes("withdrawn")]).toEqual([410, true]);
    const asToken = cookie.replace("hck_", "rtok_");
    for (const token of [asToken, cookie]) {
      const answer = await client.on(one.session, "GET", "", { token });
      expect([answer.status, answer.body.code]).toEqual([403, "token_invalid"]);
    }
    const bare = await client.call("GET", `/sessions/${one.session.id}`, {
      headers: { Cookie: `baton=${cookie}` },
    });
    expect(bare.status).toBe(401);
  });

  // Shows D-7.
  it("and the code are in no storage, event or response", async () => {
    const { session, code, token } = await createLinkedSession();
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const cookie = linkHolder.cookies.get("baton") ?? "none";
    const log = await client.on(session, "GET", "/events?after=0", { token });
    const rows = await inside(session, (_, { storage }) =>
      JSON.stringify([
        storage.sql.exec("SELECT * FROM session").toArray(),
        storage.sql.exec("SELECT * FROM commits").toArray(),
      ]),
    );
    for (const text of [log.text, rows]) {
      expect(text).not.toContain(code);
      expect(text).not.toContain(code.replaceAll("-", ""));
      expect(text).not.toContain(cookie.slice(-32));
    }
    expect(page.html).not.toContain(cookie.slice(-32));
  });
});

describe("wrong codes", () => {
  // Shows D-11.
  it("with one mistyped character are caught before any object", async () => {
    const { code } = await createLinkedSession();
    const before = (await listDurableObjectIds(MISSES)).length;
    const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    for (const [at, char] of [...code].entries()) {
      if (char === "-") continue;
      const wrong = alphabet[(alphabet.indexOf(char) + 1 + (at % 30)) % 32];
      const guess = await person().go(
        "GET",
        `/h/${code.slice(0, at)}${wrong}${code.slice(at + 1)}`,
      );
      expect(guess.status).toBe(404);
    }
    expect((await listDurableObjectIds(MISSES)).length).toBe(before);
  });

  // Shows D-11.
  it("get identical responses, are rate limited, and create no session or link", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { code } = await createLinkedSession();
    const sessions = await objectCount();
    const guesser = person("203.0.113.7");
    const answers: { status: number; html: string }[] = [];
    for (let n = 0; n < 20; n++) answers.push(await guesser.go("GET", `/h/${otherCode(code)}`));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 404));
    expect(statuses.slice(10)).toEqual(Array.from({ length: 10 }, () => 429));
    expect(new Set(answers.slice(0, 9).map(({ html }) => html)).size).toBe(1);
    const mistyped = await guesser.go("GET", "/h/0000-0000-00001");
    expect(mistyped.html).toBe(answers[0]?.html);
    // Even the right code is not looked up for a caller over the limit; another address is not limited.
    const right = await guesser.go("GET", `/h/${code}`);
    expect([right.status, right.headers.get("Retry-After")]).toEqual([429, expect.any(String)]);
    expect((await person().go("GET", `/h/${code}`)).status).toBe(200);
    expect(await objectCount()).toBe(sessions);
  });

  // Shows D-11.
  it("are no longer counted after some time", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { code } = await createLinkedSession({ ttlMs: 2 * DAY_MS });
    const guesser = person("203.0.113.8");
    for (let n = 0; n < 12; n++) await guesser.go("GET", `/h/${otherCode(code)}`);
    expect((await guesser.go("GET", `/h/${code}`)).status).toBe(429);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect((await guesser.go("GET", `/h/${code}`)).status).toBe(200);
  });
});
