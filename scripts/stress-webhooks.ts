/**
 * Webhooks while the runtime is killed thirty times and the receiver is down, slow, wrong or silent.
 *   npm run stress:webhooks -- [kills] [seed]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChaos } from "../test/support/webhook-chaos.ts";

const [kills = 30, seed = Date.now() % 100_000] = process.argv.slice(2).map(Number);
const data = mkdtempSync(join(tmpdir(), "baton-webhooks-"));
console.log(`seed ${seed}, ${kills} kills`);
try {
  const report = await runChaos({
    data,
    seed,
    kills,
    sessions: 5,
    rounds: 40,
    say: (line) => console.log(line),
  });
  console.log(JSON.stringify(report, null, 2));
  process.exitCode = report.problems.length === 0 ? 0 : 1;
} finally {
  rmSync(data, { recursive: true, force: true });
}
