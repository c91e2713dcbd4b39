/**
 * `npm run fuzz -- [--seed N] [--requests 100000]`: every route, socket and tool of a server of its
 * own with input nobody should send. Prints how each surface answered; fails on the first fault.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { report } from "../test/support/fuzz/report.ts";
import { fuzz } from "../test/support/fuzz/run.ts";
import { unhandledIn } from "../test/support/fuzz/verdict.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    requests: { type: "string", default: "100000" },
    lanes: { type: "string", default: "8" },
  },
});
const [seed, requests, lanes] = [values.seed, values.requests, values.lanes].map(Number) as [
  number,
  number,
  number,
];

const folder = mkdtempSync(join(tmpdir(), "baton-fuzz-"));
const serve = join(import.meta.dirname, "serve.ts");
const server = spawn(process.execPath, [serve, "--port", "0", "--data", folder], {
  stdio: ["ignore", "pipe", "pipe"],
});
let log = "";
const url = await new Promise<string>((resolve, reject) => {
  const hear = (text: Buffer): void => {
    log += text.toString();
    const [, found] = /serves on (\S+)\n/.exec(log) ?? [];
    if (found !== undefined) resolve(found);
  };
  server.stdout.on("data", hear);
  server.stderr.on("data", hear);
  server.once("close", () => reject(new Error(`the server ended: ${log}`)));
});

console.log(`Fuzzing with seed ${seed}: ${requests} requests in ${lanes} lanes`);
const began = Date.now();
let shown = 0;
const outcome = await fuzz({
  url,
  seed,
  requests,
  lanes,
  onProgress(done) {
    if (done - shown < 5_000) return;
    shown = done;
    console.log(`  ${done} after ${Math.round((Date.now() - began) / 1000)} s`);
  },
});
const isServing = (await fetch(`${url}/healthz`)).ok;
server.kill("SIGINT");
await new Promise((resolve) => server.once("close", resolve));
rmSync(folder, { recursive: true, force: true });

const unhandled = unhandledIn(log);
console.log(report(outcome));
console.log(`In ${Math.round((Date.now() - began) / 1000)} s, seed ${seed}.`);
for (const fault of outcome.faults) console.log(`✗ ${fault}`);
for (const line of unhandled.slice(0, 20)) console.log(`✗ in the log: ${line}`);
if (!isServing) console.log("✗ the server no longer answers");
process.exit(outcome.faults.length === 0 && unhandled.length === 0 && isServing ? 0 : 1);
