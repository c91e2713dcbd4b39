import { afterAll, expect, it } from "vitest";
import { runOwnerChaos } from "../support/owner-chaos/run.ts";
import { temporaryFolder } from "../support/server.ts";

const data = temporaryFolder();
afterAll(() => data[Symbol.dispose]());

/** The full run is `npm run stress:owners`. */
it("an owner's list, changes and sessions agree after kills amid creations, changes and purges", async () => {
  const report = await runOwnerChaos({ data: data.path, seed: 20, kills: 2, workers: 2 });

  expect(report.problems).toEqual([]);
  expect(report.cuts).toBeGreaterThanOrEqual(2);
  expect(report.purged).toBeGreaterThan(0);
});
