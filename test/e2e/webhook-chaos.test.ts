import { afterAll, expect, it } from "vitest";
import { temporaryFolder } from "../support/server.ts";
import { runChaos } from "../support/webhook-chaos.ts";

const data = temporaryFolder();
afterAll(() => data[Symbol.dispose]());

/** The full run is `npm run stress:webhooks`. */
// Shows NO-5.
it("loses nothing, invents nothing and keeps the order while the runtime is killed", async () => {
  const report = await runChaos({ data: data.path, seed: 21, kills: 3, sessions: 2, rounds: 6 });

  expect(report.problems).toEqual([]);
  expect(report.wanted).toBe(2 * (6 + 3));
});
