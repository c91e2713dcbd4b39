import { afterAll, expect, it } from "vitest";
import { scaled } from "../support/scale.ts";
import { temporaryFolder } from "../support/server.ts";
import { runChaos } from "../support/webhook-chaos.ts";

const data = temporaryFolder();
afterAll(() => data[Symbol.dispose]());

/** The full run is `npm run stress:webhooks`. */
// Shows NO-5.
it("loses nothing, invents nothing and keeps the order while the runtime is killed", async () => {
  const rounds = scaled(6, 12);
  const report = await runChaos({ data: data.path, seed: 21, kills: 2, sessions: 2, rounds });

  expect(report.problems).toEqual([]);
  // Each notice for the session's own endpoint and for the owner's.
  expect(report.wanted).toBe(2 * 2 * (rounds + 3));
});
