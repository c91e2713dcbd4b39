/**
 * The work of each operation, counted: rows read and written, and calls of objects. The cost model in
 * docs/performance.md is computed from the counts stored in scripts/bench/counted-work.json.
 */
import { createExecutionContext, env, runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import kept from "../../scripts/bench/counted-work.json";
import { OPERATIONS, type Counted, type Operation } from "../../scripts/bench/cost-model";
import type { Env } from "../../src/env";
import worker from "../../src/index";
import { Client, randomKey, type CreatedSession } from "../support/client";
import { inside, stubOf } from "../support/worker";

let calls = 0;

/** A namespace whose stubs count every call that is made on them. */
function counting(namespace: DurableObjectNamespace): DurableObjectNamespace {
  return new Proxy(namespace, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (name !== "get") return typeof member === "function" ? member.bind(target) : member;
      return (id: DurableObjectId) =>
        new Proxy(target.get(id), {
          get:
            (stub, method) =>
            (...args: readonly unknown[]) => {
              calls += 1;
              return (
                stub as unknown as Record<string | symbol, (...a: readonly unknown[]) => unknown>
              )[method]?.(...args);
            },
        });
    },
  });
}

const real = env as unknown as Env;
const countingEnv: Env = {
  ...real,
  SESSION: counting(real.SESSION),
  HANDOFFS: counting(real.HANDOFFS),
  MISSES: counting(real.MISSES),
};
const client = new Client(async (request) =>
  worker.fetch(
    request as Parameters<typeof worker.fetch>[0],
    countingEnv,
    createExecutionContext(),
  ),
);

type Rows = Pick<Counted, "rowsRead" | "rowsWritten">;
const SETTLED_MS = 50;

const meterOf = (session: Pick<CreatedSession, "id">): Promise<Rows> =>
  inside(session, ({ meter: { rowsRead, rowsWritten } }) => ({ rowsRead, rowsWritten }));

/** The meter once all background writes of earlier requests are done. */
async function settledMeterOf(session: CreatedSession): Promise<Rows> {
  for (let before = await meterOf(session); ; ) {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    const after = await meterOf(session);
    if (after.rowsWritten === before.rowsWritten) return after;
    before = after;
  }
}

async function counted(session: CreatedSession, act: () => Promise<unknown>): Promise<Counted> {
  const before = await settledMeterOf(session);
  calls = 0;
  await act();
  const objectRequests = calls;
  const after = await meterOf(session);
  return {
    rowsRead: after.rowsRead - before.rowsRead,
    rowsWritten: after.rowsWritten - before.rowsWritten,
    objectRequests,
  };
}

const event = { type: "agent.step", payload: { text: "x".repeat(60) } };
const events = (count: number) => ({ events: Array.from({ length: count }, () => event) });

/** On a session that is awake: it has served one operation of this kind before. */
async function twice(
  session: CreatedSession,
  method: string,
  path: string,
  body?: (n: number) => unknown,
): Promise<Counted> {
  let { token } = session;
  let n = 0;
  const act = async (): Promise<void> => {
    n += 1;
    const answer = await client.on(session, method, path, {
      token,
      ...(body === undefined ? {} : { body: body(n) }),
      ...(method === "PATCH" || path === "/resume" ? { key: randomKey() } : {}),
    });
    expect(answer.status, answer.text).toBeLessThan(300);
    token = (answer.body?.resumeToken as string | undefined) ?? token;
  };
  await act();
  return counted(session, act);
}

async function countLink(): Promise<Counted> {
  const session = await client.create();
  const handedOff = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "human", scopes: ["fill"] },
  });
  const preview = () => client.call("GET", `/h/${handedOff.body.handoff.code}`);
  expect((await preview()).status).toBe(200);
  // The alarm that was set for the link only has to set the next one.
  await runDurableObjectAlarm(stubOf(session));
  return counted(session, preview);
}

async function countCreate(): Promise<Counted> {
  calls = 0;
  const session = await client.create({ title: "Count", fields: { note: "x" } });
  return { ...(await meterOf(session)), objectRequests: calls };
}

const COUNT: Readonly<Record<Operation, () => Promise<Counted>>> = {
  create: countCreate,
  get: async () => twice(await client.create(), "GET", ""),
  "set fields": async () =>
    twice(await client.create(), "PATCH", "", (n) => ({ fields: { note: `${n}` } })),
  "append 1 event": async () => twice(await client.create(), "POST", "/events", () => events(1)),
  "append 100 events": async () =>
    twice(await client.create(), "POST", "/events", () => events(100)),
  resume: async () => twice(await client.create(), "POST", "/resume", () => ({})),
  "read 100 events": async () => {
    const session = await client.create();
    const { token } = session;
    await client.on(session, "POST", "/events", { token, body: events(100) });
    return twice(session, "GET", "/events?after=0");
  },
  "look at a link": countLink,
};

describe("the counts that the cost model is computed from", () => {
  it.each(OPERATIONS)("match the operation (%s)", async (operation) => {
    const { rowsRead, ...billed } = await COUNT[operation]();
    const { rowsRead: maxRowsRead, ...expected } = kept.operations[operation];
    expect(billed).toEqual(expected);
    // A row read costs a thousandth of a row written, so an upper bound is enough.
    expect(rowsRead).toBeLessThanOrEqual(maxRowsRead);
  });

  it("contain the bytes of a session that was used", async () => {
    const session = await client.create({ title: "Count", fields: { note: "x" } });
    let { token } = session;
    for (let n = 0; n < 10; n++) {
      const body = { fields: { note: `${"x".repeat(60)}${n}` } };
      token = (await client.on(session, "PATCH", "", { token, body })).body.resumeToken;
    }
    for (const count of [...Array.from({ length: 50 }, () => 1), 100, 100, 100, 100, 100]) {
      await client.on(session, "POST", "/events", { token, body: events(count) });
    }
    const bytes = await inside(session, (_, state) => state.storage.sql.databaseSize);
    // A difference of one page does not justify a change of the document.
    expect(Math.abs(bytes - kept.sessionBytes)).toBeLessThanOrEqual(16_384);
  });
});
