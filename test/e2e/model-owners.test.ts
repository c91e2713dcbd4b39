/** What an owner is shown and what endpoints receive while the runtime is killed, in a short seeded run. */
import { expect, it } from "vitest";
import { runWithFaults } from "../support/model/faulty-run.ts";
import type { FaultName } from "../support/model/plan.ts";
import { createObservers } from "../support/model/observe/all.ts";
import { scaled } from "../support/scale.ts";

/** With this seed the first sessions side by side live long enough to be exported. */
const SEED = 22;
const KILLS = 2;
/** No jumps of the clock: without them first attempts follow the log strictly. */
const FAULTS: readonly FaultName[] = ["cut sockets", "stall", "evict", "abort", "alarm late"];

/** The whole is `npm run model`. */
// Shows NO-5, NO-13, OW-3, OW-5, EV-1.
it("lists, changes, webhooks and exports agree with the sessions after kills", async () => {
  const run = await runWithFaults({
    seed: SEED,
    durationMs: scaled(12_000, 30_000),
    kills: KILLS,
    slots: 3,
    faults: FAULTS,
    observers: await createObservers(),
  });
  const { figures } = run;

  expect(figures.violations).toEqual([]);
  expect(run.runtimes).toBe(KILLS + 1);
  for (const what of [
    "owner: changes",
    "webhooks: notices",
    "webhooks: attempts",
    "exports",
    "malformed: HTTP",
  ]) {
    expect(figures.of("observed", what), what).toBeGreaterThan(0);
  }
  expect(figures.of("observed", "owner: connections")).toBeGreaterThan(1);
});
