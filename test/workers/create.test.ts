import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { randomKey } from "../support/client";
import { client, inside, objectCount, stubOf } from "../support/worker";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Default TTL plus retention of a session, plus one day. */
const UNTIL_PURGED_MS = (7 + 30 + 1) * DAY_MS;

afterEach(() => {
  vi.useRealTimers();
});

const passTime = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

const create = (key: string, body: unknown = { title: "Once" }) =>
  client.call("POST", "/sessions", { key, body });

describe("creating a session", () => {
  // Shows C-1.
  it("returns 201 with its Location, its first token and its ETag", async () => {
    const { answer, id, token } = await client.create({ title: "New", fields: { a: 1 } });
    expect(answer.headers.get("Location")).toBe(`/sessions/${id}`);
    expect(answer.headers.get("Resume-Token")).toBe(token);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("Idempotent-Replayed")).toBeNull();
    const { version, head } = answer.body.session;
    expect(answer.headers.get("ETag")).toBe(`"${version}.${head}"`);
    expect(answer.body.session).toMatchObject({ state: "draft", title: "New", fields: { a: 1 } });
  });

  it("without a key creates a new session every time", async () => {
    const [one, two] = [
      await client.create({ title: "Same" }),
      await client.create({ title: "Same" }),
    ];
    expect(one.id).not.toBe(two.id);
    expect(one.token).not.toBe(two.token);
  });
});

describe("creating twice with one Idempotency-Key", () => {
  // Shows C-7.
  it("finds the same session and returns the same token", async () => {
    const key = randomKey();
    const first = await create(key);
    const before = await objectCount();
    const repeated = await create(key);
    expect([first.status, repeated.status]).toEqual([201, 201]);
    expect(first.headers.get("Idempotent-Replayed")).toBeNull();
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    expect(repeated.body).toEqual(first.body);
    expect(repeated.headers.get("Location")).toBe(first.headers.get("Location"));
    expect(await objectCount()).toBe(before);
  });

  // Shows C-7.
  it("at the same moment creates one session and returns one token", async () => {
    const key = randomKey();
    const before = await objectCount();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(key)));
    const original = answers.filter(({ headers }) => !headers.has("Idempotent-Replayed"));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(({ body }) => body.session.id)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.resumeToken)).size).toBe(1);
    expect(original).toHaveLength(1);
    expect(await objectCount()).toBe(before + 1);
  });

  it("shows the session as it is now, with a first token that may be spent", async () => {
    const key = randomKey();
    const first = await create(key);
    const { id } = first.body.session;
    const write = { token: first.body.resumeToken, body: { fields: { a: 1 } } };
    await client.call("PATCH", `/sessions/${id}`, write);
    const repeated = await create(key);
    const stale = await client.call("PATCH", `/sessions/${id}`, write);
    expect(repeated.body.session.fields).toEqual({ a: 1 });
    expect(repeated.body.resumeToken).toBe(first.body.resumeToken);
    expect([stale.status, stale.body.code]).toEqual([409, "token_superseded"]);
  });

  // Shows C-8.
  it("with another body is 422 and shows nothing of the session", async () => {
    const key = randomKey();
    const first = await create(key);
    const before = await objectCount();
    const other = await create(key, { title: "Another" });
    expect([other.status, other.body.code]).toEqual([422, "idempotency_mismatch"]);
    expect(other.text).not.toContain("rtok_");
    expect(other.text).not.toContain(first.body.session.id);
    expect(await objectCount()).toBe(before);
    expect((await create(key)).body.resumeToken).toBe(first.body.resumeToken);
  });

  // Shows C-8.
  it("is replayed for 24 hours and is 422 from then on", async () => {
    const key = randomKey();
    const first = await create(key);
    passTime(DAY_MS - HOUR_MS);
    const intime = await create(key);
    passTime(HOUR_MS);
    const late = await create(key);
    expect(intime.body.resumeToken).toBe(first.body.resumeToken);
    expect([late.status, late.body.code]).toEqual([422, "idempotency_mismatch"]);
    expect(late.text).not.toContain("rtok_");
  });

  it("within 24 hours also finds a session that has expired", async () => {
    const key = randomKey();
    const body = { ttlMs: 1_000 };
    const first = await create(key, body);
    passTime(HOUR_MS);
    const repeated = await create(key, body);
    expect([repeated.status, repeated.body.session.id]).toEqual([201, first.body.session.id]);
    expect(repeated.body.resumeToken).toBe(first.body.resumeToken);
  });

  // Shows C-10.
  it("never creates a second session after the first was deleted", async () => {
    const key = randomKey();
    const { body } = await create(key);
    const session = { id: body.session.id as string };
    const before = await objectCount();
    const deleted = await client.on(session, "DELETE", "", { token: body.resumeToken });
    const repeated = await create(key);
    const other = await create(key, { title: "Another" });
    const read = await client.on(session, "GET", "", { token: body.resumeToken });
    expect(deleted.status).toBe(200);
    expect([repeated.status, repeated.body.code]).toEqual([422, "idempotency_mismatch"]);
    expect([other.status, other.body.code]).toEqual([422, "idempotency_mismatch"]);
    expect(read.body).toMatchObject({ status: 410, code: "gone", sessionId: session.id });
    expect(await objectCount()).toBe(before);
  });

  // Shows C-10.
  it("never creates a second session after retention, whether the alarm ran or not", async () => {
    const key = randomKey();
    const { body } = await create(key);
    passTime(UNTIL_PURGED_MS);
    const unpurged = await create(key);
    await runDurableObjectAlarm(stubOf(body.session));
    const purged = await create(key);
    expect([unpurged.status, purged.status]).toEqual([422, 422]);
    const rows = await inside(body.session, (_, { storage }) =>
      storage.sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")
        .toArray()
        .map(({ name }) => [name, storage.sql.exec(`SELECT 1 FROM ${name}`).toArray().length]),
    );
    expect(rows).toEqual([["tombstone", 1]]);
  });
});

describe("the key of a create", () => {
  it.each([
    ["one character", "k"],
    ["21 characters", "k".repeat(21)],
    ["a space inside", `${"k".repeat(22)} k`],
    ["256 characters", "k".repeat(256)],
    // Shows C-9.
  ])("of %s is 400 and creates nothing", async (_, key) => {
    const before = await objectCount();
    const refused = await create(key);
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    expect(await objectCount()).toBe(before);
  });

  // Shows C-9.
  it("of 22 characters is long enough", async () => {
    expect((await create(randomKey().slice(0, 22))).status).toBe(201);
  });

  it("can be used again if the create was refused", async () => {
    const key = randomKey();
    const refused = await create(key, { schema: { type: "no such type" } });
    const accepted = await create(key);
    expect(refused.status).toBe(400);
    expect(accepted.status, accepted.text).toBe(201);
    expect(accepted.headers.get("Idempotent-Replayed")).toBeNull();
  });
});

describe("reading with If-None-Match", () => {
  // Shows G-1.
  it("is 304 without a body while nothing happened", async () => {
    const session = await client.create();
    const etag = session.answer.headers.get("ETag")!;
    for (const tag of [etag, `"0.0", ${etag}`, `W/${etag}`]) {
      const headers = { "If-None-Match": tag };
      const answer = await client.on(session, "GET", "", { token: session.token, headers });
      expect(answer.status, tag).toBe(304);
      expect(answer.text).toBe("");
      expect(answer.headers.get("ETag")).toBe(etag);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
    }
  });

  // Shows G-1.
  it("is 200 after a write and after an append", async () => {
    const session = await client.create();
    const { token } = session;
    const first = session.answer.headers.get("ETag")!;
    const events = [{ type: "agent.note", payload: {} }];
    await client.on(session, "POST", "/events", { token, body: { events } });
    const appended = await client.on(session, "GET", "", {
      token,
      headers: { "If-None-Match": first },
    });
    await client.on(session, "PATCH", "", { token, body: { fields: { a: 1 } } });
    const written = await client.on(session, "GET", "", {
      token,
      headers: { "If-None-Match": appended.headers.get("ETag")! },
    });
    expect([appended.status, written.status]).toEqual([200, 200]);
    expect(written.body.session.fields).toEqual({ a: 1 });
  });

  it("reveals nothing without a valid token", async () => {
    const session = await client.create();
    const { token } = await client.create();
    const headers = { "If-None-Match": session.answer.headers.get("ETag")! };
    expect((await client.on(session, "GET", "", { token, headers })).status).toBe(403);
  });
});
