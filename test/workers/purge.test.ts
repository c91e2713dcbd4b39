import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { env } from "cloudflare:workers";
import type { Env } from "../../src/env";
import { randomKey, type Answer, type CreatedSession } from "../support/client";
import { bindIn, client, inside, objectCount, stubOf } from "../support/worker";

const { UPLOADS } = env as unknown as Env;
const HOUR_MS = 3_600_000;
const RETENTION_MS = 30 * 24 * HOUR_MS;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Contents {
  readonly tables: Readonly<Record<string, number>>;
  readonly alarm: number | null;
  readonly keys: number;
}

/** Every table of the object with its number of rows, without the platform's own tables. */
const contentsOf = (session: CreatedSession): Promise<Contents> =>
  inside(session, async (_, { storage }) => {
    const names = storage.sql
      .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")
      .toArray()
      .map((row) => String(row["name"]));
    const count = (name: string) =>
      Number(storage.sql.exec(`SELECT count(*) AS n FROM ${name}`).one()["n"]);
    return {
      tables: Object.fromEntries(names.map((name) => [name, count(name)])),
      alarm: await storage.getAlarm(),
      keys: (await storage.list()).size,
    };
  });

const EMPTY: Contents = { tables: {}, alarm: null, keys: 0 };

/** SHA-256 of "1". */
const ONE = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";

/** Large content, so that there is a file to delete. */
async function storeBlob(session: CreatedSession): Promise<void> {
  const options = { token: session.token, body: "1", headers: { "Content-Length": "1" } };
  const stored = await client.on(session, "PUT", `/blobs/${ONE}`, options);
  expect(stored.status, stored.text).toBe(201);
}

/** The bucket of the session's object, with some methods replaced. */
const withBucket = (session: CreatedSession, some: object): Promise<Env> => {
  const bucket = { list: UPLOADS.list.bind(UPLOADS), delete: UPLOADS.delete.bind(UPLOADS) };
  return bindIn(session, { UPLOADS: { ...bucket, ...some } });
};

const remove = (session: CreatedSession) =>
  client.on(session, "DELETE", "", { token: session.token });

describe("a purged session", () => {
  // Shows.
  it("leaves no tables, rows or alarms and answers 410 gone with its id", async () => {
    const session = await client.create({ fields: { a: 1 } });
    expect(Object.keys((await contentsOf(session)).tables).length).toBeGreaterThan(0);
    const removed = await remove(session);
    expect(removed.status).toBe(200);
    expect(Object.keys(removed.body)).toEqual(["certificate"]);
    expect(await contentsOf(session)).toEqual(EMPTY);
    const gone = await client.on(session, "GET", "", { token: session.token });
    expect(gone.status).toBe(410);
    expect(gone.body).toMatchObject({ code: "gone", status: 410, sessionId: session.id });
  });

  // Shows X-4.
  it("is finished by a repeated request if the first was interrupted, and reports gone when it is", async () => {
    const session = await client.create({ fields: { a: 1 } });
    await storeBlob(session);
    await withBucket(session, { delete: () => Promise.reject(new Error("not now")) });
    expect((await remove(session)).status).toBeGreaterThanOrEqual(500);
    expect((await contentsOf(session)).tables["commits"]).toBeGreaterThan(0);
    await withBucket(session, {});
    expect((await remove(session)).status).toBe(410);
    expect(await contentsOf(session)).toEqual(EMPTY);
  });

  // Shows X-4.
  it("that is purged by two at once keeps the tombstone of its name", async () => {
    const session = await client.create({ fields: { a: 1 } }, { key: randomKey() });
    await storeBlob(session);
    const others: Promise<Answer>[] = [];
    await withBucket(session, {
      delete: async (keys: string[]) => {
        others.push(remove(session));
        await UPLOADS.delete(keys);
      },
    });
    const first = await remove(session);
    const [second] = await Promise.all(others);
    expect([first.status, second?.status]).toEqual([200, 410]);
    expect(Object.keys((await contentsOf(session)).tables)).toEqual(["tombstone"]);
  });

  // Shows X-4.
  it("stays empty whatever is requested afterwards, including a repeated DELETE", async () => {
    const session = await client.create();
    await remove(session);
    const { token } = session;
    for (const [method, path, body] of [
      ["DELETE", "", undefined],
      ["GET", "", undefined],
      ["GET", "/events", undefined],
      ["GET", "/audit", undefined],
      ["GET", "/resumable", undefined],
      ["GET", "/handoffs", undefined],
      ["PATCH", "", { fields: { a: 1 } }],
      ["POST", "/resume", {}],
      ["POST", "/events", { events: [{ type: "agent.said" }] }],
      ["POST", "/validate", {}],
    ] as const) {
      const answer = await client.on(session, method, path, {
        token,
        ...(body === undefined ? {} : { body }),
      });
      expect(answer.body, `${method} ${path}`).toMatchObject({
        code: "gone",
        sessionId: session.id,
      });
    }
    expect(await contentsOf(session)).toEqual(EMPTY);
  });

  // Shows X-3.
  it("after its retention is gone before any alarm, and empty after it", async () => {
    const session = await client.create({ ttlMs: HOUR_MS });
    vi.setSystemTime(Date.now() + HOUR_MS + RETENTION_MS - 1);
    const unchanged = await client.on(session, "GET", "", { token: session.token });
    expect(unchanged.body.code).toBe("expired");
    vi.setSystemTime(Date.now() + 1);
    const before = await client.on(session, "GET", "", { token: session.token });
    expect(before.body.code).toBe("gone");
    await runDurableObjectAlarm(stubOf(session));
    expect(await contentsOf(session)).toEqual(EMPTY);
    const after = await client.on(session, "GET", "", { token: session.token });
    expect(after.text).toBe(before.text);
    expect(await runDurableObjectAlarm(stubOf(session))).toBe(false);
  });

  it("needs own and the newest token", async () => {
    const session = await client.create();
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["fill", "review", "handoff"] },
    });
    const byParticipant = await client.on(session, "DELETE", "", {
      token: handedOff.body.participantToken as string,
    });
    expect(byParticipant.body.code).toBe("scope_denied");
    const stale = await remove(session);
    expect(stale.body.code).toBe("token_superseded");
    const unchanged = await client.on(session, "GET", "", {
      token: handedOff.body.resumeToken as string,
    });
    expect(unchanged.status).toBe(200);
  });
});

describe("a session created with an Idempotency-Key", () => {
  // Shows X-5.
  it.each(["DELETE", "the end of its retention"])(
    "keeps exactly one row after %s, and its key creates nothing again",
    async (purgeBy) => {
      const key = randomKey();
      const body = { title: "Once", ttlMs: HOUR_MS };
      const session = await client.create(body, { key });
      if (purgeBy === "DELETE") {
        expect((await remove(session)).status).toBe(200);
      } else {
        vi.setSystemTime(Date.now() + HOUR_MS + RETENTION_MS);
        await runDurableObjectAlarm(stubOf(session));
      }
      const tombstone: Contents = { tables: { tombstone: 1 }, alarm: null, keys: 0 };
      expect(await contentsOf(session)).toEqual(tombstone);
      const objects = await objectCount();
      for (const repeatedBody of [body, { title: "Twice" }]) {
        const answer = await client.call("POST", "/sessions", { key, body: repeatedBody });
        expect(answer.status).toBe(422);
        expect(answer.body.code).toBe("idempotency_mismatch");
        expect(answer.text).not.toContain("rtok_");
      }
      expect(await objectCount()).toBe(objects);
      expect(await contentsOf(session)).toEqual(tombstone);
      const gone = await client.on(session, "GET", "", { token: session.token });
      expect(gone.status).toBe(410);
      expect(gone.body).toMatchObject({ code: "gone", sessionId: session.id });
    },
  );

  it("answers the same before and after the alarm that empties it", async () => {
    const key = randomKey();
    const session = await client.create({ ttlMs: HOUR_MS }, { key });
    vi.setSystemTime(Date.now() + HOUR_MS + RETENTION_MS);
    const readAll = async () => [
      (await client.call("POST", "/sessions", { key, body: { ttlMs: HOUR_MS } })).text,
      (await client.on(session, "GET", "", { token: session.token })).text,
    ];
    const before = await readAll();
    await runDurableObjectAlarm(stubOf(session));
    expect(await readAll()).toEqual(before);
  });
});
