/**
 * An owner's sessions while the runtime is killed thirty times amid creations, changes and purges.
 *   npm run stress:owners -- [kills] [seed]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runOwnerChaos } from "../test/support/owner-chaos/run.ts";

const [kills = 30, seed = Date.now() % 100_000] = process.argv.slice(2).map(Number);
const data = mkdtempSync(join(tmpdir(), "baton-owners-"));
console.log(`seed ${seed}, ${kills} kills`);
try {
  const report = await runOwnerChaos({ data, seed, kills, workers: 4, say: console.log });
  console.log(JSON.stringify(report, null, 2));
  process.exitCode = report.problems.length === 0 ? 0 : 1;
} finally {
  rmSync(data, { recursive: true, force: true });
}
