/** Costs do not grow with history: an operation on a long log reads and writes as many rows as on a short one. */
import { evictDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { randomKey, type CreatedSession } from "../support/client";
import { client, inside, stubOf } from "../support/worker";

afterEach(() => {
  vi.useRealTimers();
});

interface Rows {
  readonly read: number;
  readonly written: number;
}

/** Copies of one appended commit, inserted directly into the table: requests would take minutes. */
async function grow(session: CreatedSession, commits: number): Promise<void> {
  const body = { events: [{ type: "agent.step", payload: { n: 1 } }] };
  const { token } = session;
  const { first } = (await client.on(session, "POST", "/events", { token, body })).body;
  await inside(session, (_, { storage: { sql } }) => {
    const columns = sql.exec(`SELECT * FROM commits LIMIT 1`).columnNames;
    const values = columns.map((name) => {
      if (name === "first_seq" || name === "last_seq") return `n`;
      return name === "events"
        ? `replace(events, '"seq":' || ${first} || ',', '"seq":' || n || ',')`
        : name;
    });
    sql.exec(
      `WITH RECURSIVE numbers (n) AS
        (SELECT ${first + 1} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${first + commits})
      INSERT INTO commits (${columns.join(", ")})
      SELECT ${values.join(", ")} FROM numbers, commits WHERE first_seq = ${first}`,
    );
  });
  // The instance's cache of its log is no longer valid.
  await evictDurableObject(stubOf(session));
}

type Operation = readonly [name: string, method: string, path: string, body?: object];

/** In an order that a session allows. HEAD is the seq of its last event. */
const OPERATIONS: readonly Operation[] = [
  ["get", "GET", ""],
  ["set fields", "PATCH", "", { fields: { a: 1 } }],
  ["append", "POST", "/events", { events: [{ type: "a.b" }] }],
  ["resume", "POST", "/resume", { lastEventSeq: "HEAD" }],
  ["hand off", "POST", "/handoffs", { to: "agent", scopes: ["view"] }],
  ["revoke", "POST", "/revoke", { participant: "par_2" }],
  ["extend", "POST", "/extend", { ttlMs: 8 * 24 * 3_600_000 }],
  ["pause", "POST", "/pause", {}],
  ["unpause", "POST", "/unpause", {}],
  ["checkpoint", "POST", "/checkpoints", {}],
  ["restore", "POST", "/checkpoints/chk_1/restore", {}],
  ["report a stop", "POST", "/stops", { reason: "user_exit", attempt: 1 }],
  ["submit a job", "POST", "/jobs", { agent: "worker", input: {} }],
  ["check resumability", "GET", "/resumable"],
  ["read the last events", "GET", "/events?limit=1&after=HEAD"],
  ["read the first events", "GET", "/events?limit=10&after=0"],
  ["validate", "POST", "/validate", { fields: { a: 1 } }],
  ["submit", "POST", "/submit", {}],
  ["finalize", "POST", "/finalize", {}],
];

const meterOf = (session: CreatedSession): Promise<Rows> =>
  inside(session, ({ meter: { rowsRead, rowsWritten } }) => ({
    read: rowsRead,
    written: rowsWritten,
  }));

/** Runs all operations, and returns the rows of each. */
async function measureAll(session: CreatedSession, first: string): Promise<Record<string, Rows>> {
  const rows: Record<string, Rows> = {};
  let token = first;
  for (const [name, method, path, body] of OPERATIONS) {
    // Also wakes the object, so that rows read on waking are not counted with the operation.
    const { head } = (await client.on(session, "GET", "", { token })).body.session;
    const put = (text: string): string => text.replace(/"?HEAD"?/, String(head));
    const before = await meterOf(session);
    const answer = await client.on(session, method, put(path), {
      token,
      ...(body === undefined ? {} : { body: put(JSON.stringify(body)) }),
    });
    const after = await meterOf(session);
    expect(answer.status, `${name}: ${answer.text}`).toBeLessThan(300);
    token = (answer.body.resumeToken as string | undefined) ?? token;
    rows[name] = { read: after.read - before.read, written: after.written - before.written };
  }
  return rows;
}

/** A session with more events than are read ahead for one page. */
async function createSession(): Promise<CreatedSession> {
  const session = await client.create();
  const { token } = session;
  for (let n = 0; n < 20; n++) {
    const body = { events: [{ type: "agent.step", payload: { n } }] };
    await client.on(session, "POST", "/events", { token, body });
  }
  return session;
}

it("every operation costs the same rows on a session with 100,000 more commits", async () => {
  // Tomorrow by the object's clock, so that no alarm runs by itself.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * 3_600_000 });
  const [short, long] = [await createSession(), await createSession()];
  await grow(long, 100_000);
  await evictDurableObject(stubOf(short));

  const few = await measureAll(short, short.token);
  const many = await measureAll(long, long.token);

  expect(many).toEqual(few);
});

it("the first append with a key reads the remembered commits, the next ones read none", async () => {
  const session = await createSession();
  await grow(session, 2 * LIMITS.appendMemory);
  const { token } = session;
  const append = () =>
    client.on(session, "POST", "/events", {
      token,
      key: randomKey(),
      body: { events: [{ type: "a.b" }] },
    });
  const before = await meterOf(session);
  await append();
  const first = await meterOf(session);
  await append();
  const second = await meterOf(session);

  expect(first.read - before.read).toBeLessThanOrEqual(LIMITS.appendMemory + 16);
  expect(second.written - first.written).toBe(1);
  expect(second.read - first.read).toBeLessThanOrEqual(1);
});
