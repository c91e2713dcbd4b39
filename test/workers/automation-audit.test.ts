import { runDurableObjectAlarm } from "cloudflare:test";
import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openStorage } from "../../src/object/storage-port";
import { CheckpointStore } from "../../src/storage/checkpoint-store";
import { SessionStore } from "../../src/storage/session-store";
import { TestAgent } from "../support/test-agent";
import { readStored } from "../support/model/stored";
import { client, inside, stubOf } from "../support/worker";
import { drawn, scaled } from "../support/scale";

afterEach(() => {
  vi.useRealTimers();
});

/** The possible requests, with numbers to fill in. Most of them are accepted in some state. */
const MOVES: Readonly<Record<string, (n: number) => readonly [string, string, unknown?]>> = {
  set: (n) => ["PATCH", "", { fields: { [`f${n % 3}`]: n % 4 === 0 ? null : n } }],
  nextStep: (n) => ["PATCH", "", { title: `t${n}`, nextStep: { stepsCompleted: [n] } }],
  note: (n) => ["POST", "/events", { events: [{ type: "agent.note", payload: { n } }] }],
  stop: (n) => [
    "POST",
    "/stops",
    { reason: n % 2 === 0 ? "crash" : "rate_limit", attempt: 1 + (n % 3) },
  ],
  leave: () => ["POST", "/stops", { reason: "user_exit" }],
  resume: (n) => ["POST", "/resume", { auto: n % 2 === 0 }],
  pause: () => ["POST", "/pause", {}],
  unpause: () => ["POST", "/unpause", {}],
  checkpoint: (n) => ["POST", "/checkpoints", { pinned: n % 5 === 0 }],
  pin: (n) => ["PATCH", `/checkpoints/chk_${1 + (n % 6)}`, { pinned: n % 2 === 0 }],
  forget: (n) => ["DELETE", `/checkpoints/chk_${1 + (n % 6)}`],
  restore: (n) => ["POST", `/checkpoints/chk_${1 + (n % 6)}/restore`],
  trim: (n) => ["POST", "/trim", { checkpoint: `chk_${1 + (n % 6)}` }],
  fork: (n) => ["POST", "/fork", { reason: `fork ${n}` }],
  ask: () => ["POST", "/request-input", {}],
  end: () => ["POST", "/fork", { finalizeParent: true }],
  extend: () => ["POST", "/extend", { ttlMs: 86_400_000 }],
};

type Move = readonly [name: string, n: number];
const NAMES = [...Object.keys(MOVES).filter((name) => name !== "end"), "alarm"];
/** Each move once, so that every run contains all of them; the last one ends the session. */
const EACH = NAMES.map((name): Move => [name, 1]);
const END: Move = ["end", 0];
const plan: fc.Arbitrary<readonly Move[]> = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), fc.nat(99)), {
    minLength: 40,
    maxLength: 40,
    size: "max",
  })
  .map((moves) => [...EACH, ...moves, END]);

const readInside = (agent: TestAgent) =>
  inside(agent, (_, { storage }) => {
    const sql = openStorage(storage, { rowsRead: 0, rowsWritten: 0 });
    const { commits, productFold } = readStored(sql);
    const events = commits.flatMap((commit) => commit.events);
    const head = new SessionStore(sql, "only read").head();
    const stored = { ...productFold, events, head };
    return { stored, checkpoints: new CheckpointStore(sql).list() };
  });

describe("a long random run", () => {
  it("has an event for every change in the same commit: the fold of the log is the state", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (moves) => {
        vi.useRealTimers();
        const agent = await TestAgent.create(client, {
          policy: { keepCheckpoints: 4, baseMs: 1_000 },
        });
        let now = Date.now();
        let changes = 0;
        for (const [name, n] of moves) {
          const before = await readInside(agent);
          if (name === "alarm") {
            vi.useFakeTimers({ toFake: ["Date"], now: (now += 2_000 + n) });
            await runDurableObjectAlarm(stubOf(agent));
          } else {
            const [method, path, body] = MOVES[name]?.(n) ?? ["GET", ""];
            const answer = await agent.tryCall(method, path, body);
            expect([200, 201, 400, 404, 409], answer.text).toContain(answer.status);
            if (answer.status >= 400) expect(await readInside(agent)).toEqual(before);
          }
          const after = await readInside(agent);
          // Notes that were trimmed changed nothing, so what is left folds to the same state.
          expect(after.stored.folded).toEqual(after.stored.stored);
          const hasChanged = after.stored.head > before.stored.head;
          if (!hasChanged) expect(after).toEqual(before);
          else changes += 1;
          expect(after.stored.head).toBe(after.stored.events.at(-1)?.seq);
        }
        expect(changes).toBeGreaterThan(10);
        expect((await agent.session()).state).toBe("finalized");
        const audit = (await agent.events()).filter(({ type }) => !type.startsWith("agent."));
        const stored = (await readInside(agent)).stored.events;
        expect(audit).toEqual(stored.filter(({ type }) => !type.startsWith("agent.")));
      }),
      drawn(scaled(1, 4)),
    );
  });
});

describe("the audit of automatic actions", () => {
  it("combines all filters", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 0, 1) });
    const agent = await TestAgent.create(client, { actor: { id: "maker" }, fields: { a: 1 } });
    const handedOff = await agent.call("POST", "/handoffs", {
      to: "agent",
      scopes: ["append"],
      actor: { id: "worker" },
    });
    const worker = new TestAgent(client, { id: agent.id, token: handedOff.body.participantToken });
    for (const [hour, reason] of [
      [1, "crash"],
      [2, "user_exit"],
      [3, "completed"],
      [4, "rate_limit"],
    ] as const) {
      vi.setSystemTime(Date.UTC(2031, 0, 1, hour));
      await worker.call("POST", "/stops", { reason });
      await agent.call("POST", "/stops", { reason });
      await agent.call("POST", "/checkpoints", {});
    }
    const find = async (query: string) =>
      (await agent.events(`&${query}`)).map(({ actor, payload }) => [actor.id, payload.reason]);
    const window = "after=2031-01-01T02:00:00Z&before=2031-01-01T04:00:00Z";
    expect(
      await find(`type=stop.*&outcome=skipped&actorKind=agent&actorId=worker&${window}`),
    ).toEqual([
      ["worker", "user_exit"],
      ["worker", "completed"],
    ]);
    expect(await find(`type=stop.*&outcome=pending&actorId=maker`)).toEqual([
      ["maker", "crash"],
      ["maker", "rate_limit"],
    ]);
    expect(await find(`type=stop.*,checkpoint.*&outcome=success&actorId=worker`)).toEqual([]);
    expect(await find(`type=checkpoint.*&actorId=maker&${window}`)).toHaveLength(2);
    vi.setSystemTime(Date.UTC(2031, 0, 1, 5));
    await runDurableObjectAlarm(stubOf(agent));
    expect(await find("actorKind=system&type=resume.*&outcome=success")).toHaveLength(1);
  });
});
