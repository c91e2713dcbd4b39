/**
 * `npm run fuzz:headers -- [--seed N] [--requests 20000]`: a server of its own, and requests whose
 * headers claim what nobody may claim. Fails on a 5xx, and on a caller who was believed.
 */
import { parseArgs } from "node:util";
import { HOSTILE_SETTINGS, sendHostileHeaders } from "../test/support/hostile-headers.ts";
import { startServer, temporaryFolder } from "../test/support/server-process.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    requests: { type: "string", default: "20000" },
  },
});
const [seed, requests] = [Number(values.seed), Number(values.requests)];

using data = temporaryFolder();
const server = await startServer(data.path, undefined, HOSTILE_SETTINGS);
const { faults, statuses } = await sendHostileHeaders({ url: server.url, seed, requests });
const isServing = (await fetch(`${server.url}/healthz`)).ok;
await server.stop();

const counts = [...statuses].toSorted(([a], [b]) => a - b);
console.log(`${requests} requests with hostile headers, seed ${seed}`);
for (const [status, count] of counts) console.log(`  ${status === 0 ? "cut" : status}: ${count}`);
for (const fault of faults.slice(0, 20)) console.log(`✗ ${fault}`);
if (!isServing) console.log("✗ the server no longer answers");
console.log(`${faults.length} faults.`);
process.exitCode = faults.length === 0 && isServing ? 0 : 1;
