/**
 * Tests many sessions of one owner: 10,000 created over HTTP, and 90,000 that exist only in the
 * directory. Every filter is compared with a plain list.
 *   npm run scale:owners -- [real] [listed] [seed]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runOwnerScale } from "../test/support/owner-scale/run.ts";

const [real = 10_000, listed = 90_000, seed = 20] = process.argv.slice(2).map(Number);
const data = mkdtempSync(join(tmpdir(), "baton-scale-"));
try {
  const report = await runOwnerScale({ data, seed, real, listed, log: console.log });
  const { costs, problems, ...sums } = report;
  console.table(costs);
  console.log(JSON.stringify({ ...sums, problems }, null, 2));
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(data, { recursive: true, force: true });
}
