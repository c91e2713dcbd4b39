import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/object/storage-port";
import type { SqlPort } from "../../src/storage/sql-port";
import { planOf } from "../support/model/draw";
import type { Driver, Snapshot } from "../support/model/driver";
import { check } from "../support/model/laws";
import { httpDriver, type Exchange } from "../support/model/network/http-driver";
import type { Plan, SendStep } from "../support/model/plan";
import { runPlan, SEND } from "../support/model/run";
import { cellsIn, KEEP_TRIMMED, readStored } from "../support/model/stored";
import { drawn, scaled } from "../support/scale";
import { fetchWorker, insideObject } from "../support/worker";

const exchange: Exchange = async ({ method, path, headers, body }) => {
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  const response = await fetchWorker(new Request(`http://baton.test${path}`, init));
  const text = await response.text();
  return { status: response.status, headers: Object.fromEntries(response.headers), text };
};

const lookInto = <T>(objectId: string, look: (sql: SqlPort) => T): Promise<T> =>
  insideObject(objectId, (_, { storage }) =>
    look(openStorage(storage, { rowsRead: 0, rowsWritten: 0 })),
  );

async function snapshotOf(objectId: string): Promise<Snapshot> {
  const rowsWritten = await insideObject(objectId, ({ meter }) => meter.rowsWritten);
  const cells = await lookInto(objectId, (sql) => {
    const text = cellsIn(sql);
    if (text.includes("\ncommits")) for (const one of KEEP_TRIMMED) sql.run(one);
    return text;
  });
  return { cells, rowsWritten };
}

/** The Worker in the test runtime, with a look into the storage of its objects around each request. */
const newDriver = (isObserved: boolean): Driver =>
  httpDriver({
    losesMessages: false,
    exchange,
    stored: (objectId) => lookInto(objectId, readStored),
    clock: (invoked, responded) => [invoked, responded],
    snapshot: isObserved ? snapshotOf : undefined,
  });

async function violationsOf(plan: Plan, isObserved: boolean) {
  const history = await runPlan(newDriver(isObserved), plan, { tag: crypto.randomUUID() });
  return history === null ? [] : check(history);
}

describe("any plan over HTTP", () => {
  it("keeps every law of the model, also of what each request writes", async () => {
    await fc.assert(
      fc.asyncProperty(planOf(30), async (plan) => {
        expect(await violationsOf(plan, true)).toEqual([]);
      }),
      drawn(scaled(3, 12)),
    );
  });
});

/** Each participant sends at the same time as all others, some of them twice with one token. */
const race: fc.Arbitrary<Plan> = fc
  .record({
    others: fc.integer({ min: 1, max: 4 }),
    choices: fc.array(fc.record({ who: fc.nat(4), choice: fc.nat(9) }), {
      minLength: 12,
      maxLength: 40,
    }),
  })
  .map(({ others, choices }) => ({
    settings: { approvals: 0, required: null, ttlMs: 3_600_000, isPurged: false },
    participants: Array.from({ length: others }, () => ["own"] as const),
    steps: choices.map(
      ({ who, choice }): SendStep => ({
        ...SEND,
        who: who % (others + 1),
        operation: (["setFields", "extend", "resume", "append"] as const)[choice % 4] ?? "append",
        action: choice === 9 ? "stale" : "send",
        arg: 1_000 + choice,
        condition: choice % 2 === 0 ? "seen" : "none",
      }),
    ),
    isConcurrent: true,
  }));

describe("participants who write at the same time", () => {
  it("pass one at a time: each accepted write is based on the one before it", async () => {
    await fc.assert(
      fc.asyncProperty(race, async (plan) => {
        expect(await violationsOf(plan, false)).toEqual([]);
      }),
      drawn(scaled(3, 12)),
    );
  });
});
