import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DRAWN, planOf } from "../support/model/draw";
import { check } from "../support/model/laws";
import { MemoryDriver } from "../support/model/memory-driver";
import { runPlan } from "../support/model/run";
import { drawn, scaled } from "../support/scale";
import type { Plan } from "../support/model/plan";

async function violationsOf(plan: Plan) {
  const history = await runPlan(new MemoryDriver(), plan);
  return history === null ? [] : check(history);
}

describe("any plan of two to five participants, on the handlers and on SQLite", () => {
  // Shows V-1, V-6, V-7, E-2, Y-2.
  it("keeps every law of the model", async () => {
    await fc.assert(
      fc.asyncProperty(planOf(60), async (plan) => {
        expect(await violationsOf(plan)).toEqual([]);
      }),
      drawn(scaled(60, 250)),
    );
  });

  it("meets every operation, every kind of refusal and every replay", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(planOf(60, 30), async (plan) => {
        const history = await runPlan(new MemoryDriver(), plan);
        for (const { name, outcome } of history?.operations ?? []) {
          if (outcome.kind === "refused") seen.add(outcome.code);
          if (outcome.kind === "ok") seen.add(outcome.replayed === true ? `${name} again` : name);
        }
        for (const { type } of history?.commits.flatMap(({ events }) => events) ?? []) {
          if (type === "session.expired" || type === "resume.due") seen.add(type);
        }
      }),
      // The same plans each time: whether rare things happen in them must not be left to chance.
      { numRuns: 250, seed: 20261 },
    );
    expect(EXPECTED.filter((what) => !seen.has(what))).toEqual([]);
  });
});

const REPLAYED = ["setFields", "handoff", "resume", "append", "reportStop", "restore", "fork"];
const REFUSALS = [
  ..."version_conflict precondition_failed token_superseded token_invalid scope_denied".split(" "),
  ..."illegal_transition missing_fields invalid_fields invalid_request idempotency_mismatch".split(
    " ",
  ),
  ..."paused expired gone not_found replay_gap".split(" "),
];
/** Bytes never arrive without a network. */
const UNMET = new Set(["confirmUpload"]);
const EXPECTED = [
  ...DRAWN.filter((name) => !UNMET.has(name)),
  ...REPLAYED.map((name) => `${name} again`),
  ...REFUSALS,
  "session.expired",
  "resume.due",
];
