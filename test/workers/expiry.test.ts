import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Answer, CreatedSession } from "../support/client";
import { client, inside, rowsWrittenBy, stubOf } from "../support/worker";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETENTION_MS = 30 * DAY_MS;

beforeEach(() => {
  // Tomorrow by the object's clock, so that no alarm runs by itself.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number): unknown => vi.setSystemTime(Date.now() + ms);

const read = (session: CreatedSession, path = ""): Promise<Answer> =>
  client.on(session, "GET", path, { token: session.token });

const stateInStorage = (session: CreatedSession): Promise<unknown> =>
  inside(session, (_, { storage }) => storage.sql.exec("SELECT state FROM session").one()["state"]);

const eventTypes = (session: CreatedSession): Promise<string[]> =>
  inside(session, (_, { storage }) =>
    storage.sql
      .exec("SELECT events FROM commits ORDER BY first_seq")
      .toArray()
      .flatMap((row) => String(row["events"]).split("\n"))
      .map((line) => JSON.parse(line).type as string),
  );

const lastActor = (session: CreatedSession): Promise<unknown> =>
  inside(session, (_, { storage }) =>
    JSON.parse(
      String(
        storage.sql.exec("SELECT actor FROM commits ORDER BY first_seq DESC LIMIT 1").one()[
          "actor"
        ],
      ),
    ),
  );

/** Every read of a session, each with status and body as one comparable value. */
async function answersOf(session: CreatedSession): Promise<readonly string[]> {
  const { token } = session;
  const answers = [
    await client.on(session, "GET", "", { token }),
    await client.on(session, "GET", "/events", { token }),
    await client.on(session, "GET", "/resumable", { token }),
    await client.on(session, "PATCH", "", { token, body: { fields: { late: 1 } } }),
    await client.on(session, "POST", "/resume", { token, body: {} }),
    await client.on(session, "POST", "/extend", { token, body: { ttlMs: DAY_MS } }),
    await client.on(session, "POST", "/events", { token, body: { events: [{ type: "a.b" }] } }),
    await client.on(session, "DELETE", "", { token }),
  ];
  return answers.map(({ status, text }) => `${status} ${text}`);
}

const withoutIds = (answers: readonly string[], { id }: CreatedSession): readonly string[] =>
  answers.map((answer) => answer.replaceAll(id, "ses_"));

describe("a session of one second", () => {
  // Shows X-1.
  it("is readable until it expires and 410 from that moment on, without an alarm", async () => {
    const session = await client.create({ ttlMs: SECOND_MS });
    pass(SECOND_MS - 1);
    expect((await read(session)).status).toBe(200);
    pass(1);
    const answer = await read(session);
    expect(answer.status).toBe(410);
    expect(answer.body).toMatchObject({
      code: "expired",
      status: 410,
      retryable: false,
      sessionId: session.id,
      expiresAt: session.answer.body.session.expiresAt,
    });
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(await stateInStorage(session)).toBe("draft");
  });

  // Shows X-1.
  it("refuses every operation with the same 410 and writes nothing", async () => {
    const session = await client.create({ ttlMs: SECOND_MS });
    pass(SECOND_MS);
    const rows = await rowsWrittenBy(session, async () => {
      for (const answer of await answersOf(session)) {
        expect(answer).toContain('410 {"type":"/docs/errors#expired"');
        expect(answer).toContain(session.id);
      }
    });
    expect(rows).toBe(0);
  });

  it("reveals nothing to a wrong secret, not even that it has expired", async () => {
    const session = await client.create({ ttlMs: SECOND_MS });
    const wrong = session.token.slice(0, -4) + (session.token.endsWith("AAAA") ? "BBBB" : "AAAA");
    pass(SECOND_MS);
    const answer = await client.on(session, "GET", "", { token: wrong });
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain(session.id);
  });
});

describe("the alarm", () => {
  // Shows X-2.
  it("records an expiry for good: a clock that goes back does not open the session again", async () => {
    const session = await client.create({ ttlMs: HOUR_MS });
    pass(HOUR_MS);
    await runDurableObjectAlarm(stubOf(session));
    pass(-SECOND_MS);
    const answer = await read(session);
    expect([answer.status, answer.body.code]).toEqual([410, "expired"]);
  });

  // Shows X-2.
  it("records the expiry once, however often it runs, and changes no response", async () => {
    const session = await client.create({ ttlMs: HOUR_MS });
    pass(HOUR_MS);
    const before = await answersOf(session);
    expect(await runDurableObjectAlarm(stubOf(session))).toBe(true);
    const once = await eventTypes(session);
    expect(once.filter((type) => type === "session.expired")).toHaveLength(1);
    expect(once.filter((type) => type === "token.expired")).toHaveLength(1);
    expect(await stateInStorage(session)).toBe("expired");
    expect(await lastActor(session)).toEqual({ kind: "system", id: "baton" });
    expect(await answersOf(session)).toEqual(before);
    expect(await runDurableObjectAlarm(stubOf(session))).toBe(true);
    expect(await eventTypes(session)).toEqual(once);
    expect(await answersOf(session)).toEqual(before);
  });

  it("that runs early changes nothing and runs again", async () => {
    const session = await client.create({ ttlMs: HOUR_MS });
    const before = await read(session);
    await runDurableObjectAlarm(stubOf(session));
    expect((await read(session)).text).toBe(before.text);
    expect(await inside(session, (_, { storage }) => storage.getAlarm())).toBe(
      Date.parse(session.answer.body.session.expiresAt),
    );
  });

  // Shows X-2.
  it("that never runs changes no response", async () => {
    const [withAlarm, lost] = [
      await client.create({ ttlMs: HOUR_MS }),
      await client.create({ ttlMs: HOUR_MS }),
    ];
    await inside(lost, (_, { storage }) => storage.deleteAlarm());
    const same = async (): Promise<void> => {
      const [a, b] = [
        withoutIds(await answersOf(withAlarm), withAlarm),
        withoutIds(await answersOf(lost), lost),
      ];
      const time = /"expiresAt":"[^"]+"/g;
      expect(b.map((one) => one.replaceAll(time, ""))).toEqual(
        a.map((one) => one.replaceAll(time, "")),
      );
    };
    pass(HOUR_MS + SECOND_MS);
    await runDurableObjectAlarm(stubOf(withAlarm));
    await same();
    pass(RETENTION_MS);
    await runDurableObjectAlarm(stubOf(withAlarm));
    await same();
    expect((await answersOf(lost))[0]).toMatch(/^410 .*"code":"gone"/);
  });

  // Shows G-2.
  it("that was lost is set again by the first accepted request of a woken object", async () => {
    const session = await client.create({ ttlMs: HOUR_MS });
    await inside(session, (_, { storage }) => storage.deleteAlarm());
    await evictDurableObject(stubOf(session));
    expect((await read(session)).status).toBe(200);
    expect(await inside(session, (_, { storage }) => storage.getAlarm())).toBe(
      Date.parse(session.answer.body.session.expiresAt),
    );
  });
});

describe("extend", () => {
  // Shows P-4.
  it("moves the end to the given time from now, and the earlier alarm does not end it", async () => {
    const session = await client.create({ ttlMs: HOUR_MS });
    pass(HOUR_MS - SECOND_MS);
    const { token } = session;
    const body = { ttlMs: 2 * HOUR_MS };
    const extended = await client.on(session, "POST", "/extend", { token, body });
    expect(extended.status, extended.text).toBe(200);
    expect(Date.parse(extended.body.session.expiresAt)).toBe(Date.now() + 2 * HOUR_MS);
    pass(SECOND_MS);
    await runDurableObjectAlarm(stubOf(session));
    expect((await read(session)).body.session.state).toBe("draft");
    pass(2 * HOUR_MS - SECOND_MS);
    expect((await read(session)).body.code).toBe("expired");
  });

  // Shows P-4.
  it("that shortens the TTL moves the alarm forward", async () => {
    const session = await client.create({ ttlMs: DAY_MS });
    const { token } = session;
    await client.on(session, "POST", "/extend", { token, body: { ttlMs: HOUR_MS } });
    expect(await inside(session, (_, { storage }) => storage.getAlarm())).toBe(
      Date.now() + HOUR_MS,
    );
  });

  it("is the only write that moves the end", async () => {
    const session = await client.create({ ttlMs: HOUR_MS });
    const end = session.answer.body.session.expiresAt;
    pass(SECOND_MS);
    const patched = await client.on(session, "PATCH", "", {
      token: session.token,
      body: { fields: { a: 1 } },
    });
    expect(patched.body.session.expiresAt).toBe(end);
    const resumed = await client.on(session, "POST", "/resume", {
      token: patched.body.resumeToken,
      body: {},
    });
    expect(resumed.body.session.expiresAt).toBe(end);
  });
});

describe("the TTL of a handoff", () => {
  // Shows H-4.
  it("ends that participant's access only", async () => {
    const session = await client.create({ ttlMs: DAY_MS });
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["view"], ttlMs: HOUR_MS },
    });
    const participant = handedOff.body.participantToken as string;
    pass(HOUR_MS - 1);
    expect((await client.on(session, "GET", "", { token: participant })).status).toBe(200);
    pass(1);
    const ended = await client.on(session, "GET", "", { token: participant });
    expect(ended.status).toBe(410);
    expect(ended.body).toMatchObject({
      code: "expired",
      sessionId: session.id,
      expiresAt: handedOff.body.handoff.expiresAt,
    });
    expect(
      (await client.on(session, "GET", "", { token: handedOff.body.resumeToken as string })).status,
    ).toBe(200);
  });
});

describe("an ended session", () => {
  it.each([
    ["finalized", ["/submit", "/finalize"]],
    ["cancelled", ["/cancel"]],
    // Shows P-1, X-3.
  ])(
    "that is %s stays readable after its expiresAt, until retention ends",
    async (state, paths) => {
      const session = await client.create({ ttlMs: HOUR_MS, fields: { a: 1 } });
      let { token } = session;
      for (const path of paths) {
        const answer = await client.on(session, "POST", path, { token, body: {} });
        expect(answer.status, answer.text).toBe(200);
        token = answer.body.resumeToken;
      }
      pass(HOUR_MS + SECOND_MS);
      await runDurableObjectAlarm(stubOf(session));
      const later = await client.on(session, "GET", "", { token });
      expect(later.status).toBe(200);
      expect(later.body.session).toMatchObject({ state, fields: { a: 1 } });
      pass(RETENTION_MS - HOUR_MS - SECOND_MS - 1);
      await runDurableObjectAlarm(stubOf(session));
      expect((await client.on(session, "GET", "/events?after=0", { token })).status).toBe(200);
      pass(1);
      const gone = await client.on(session, "GET", "", { token });
      expect(gone.status).toBe(410);
      expect(gone.body).toMatchObject({ code: "gone", sessionId: session.id });
    },
  );
});
