/**
 * `npm run measure:server -- [--requests 10000]`: measures the time of a self-hosted server from the start
 * of its process to its first answer, and the memory of its two processes at rest and after requests.
 * It checks nothing: the numbers depend on this machine. Linux only, because it reads /proc.
 */
import { parseArgs } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { startServer, temporaryFolder } from "../test/support/server-process.ts";
import { residentMb } from "./bench/process-meter.ts";

const { values } = parseArgs({ options: { requests: { type: "string", default: "10000" } } });
const requests = Number(values.requests);
if (!Number.isInteger(requests) || requests < 1) {
  console.error("--requests must be a whole number above 0. Example: --requests 10000");
  process.exit(2);
}
/** Right after the start, garbage of the start is still in memory. */
const REST_MS = 3_000;
const CONCURRENCY = 8;

using data = temporaryFolder();
const startedAt = performance.now();
const server = await startServer(data.path);
await fetch(`${server.url}/healthz`);
console.log(`first answer      ${((performance.now() - startedAt) / 1000).toFixed(2)} s`);

const memory = (): string => {
  const runtime = residentMb(server.runtimePid() ?? 0);
  const node = residentMb(server.script.pid);
  return `workerd ${runtime.toFixed(0)} MB, node ${node.toFixed(0)} MB`;
};
await sleep(REST_MS);
console.log(`memory at rest    ${memory()}`);

/** Creates, writes and reads a session: a third of the requests each. */
async function work(count: number): Promise<void> {
  for (let done = 0; done < count; done += 3) {
    const session = await server.client.create();
    const { token } = session;
    const body = { events: [{ type: "agent.step", payload: { text: "x".repeat(100) } }] };
    const appended = await server.client.on(session, "POST", "/events", { token, body });
    const read = await server.client.on(session, "GET", "", { token });
    if (appended.status !== 201 || read.status !== 200) throw new Error(appended.text + read.text);
  }
}
const from = performance.now();
await Promise.all(Array.from({ length: CONCURRENCY }, () => work(requests / CONCURRENCY)));
const elapsedMs = (performance.now() - from) / 1000;
await sleep(REST_MS);
console.log(`after ${requests} requests in ${elapsedMs.toFixed(1)} s: ${memory()}`);
await server.stop();
