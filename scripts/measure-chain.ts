/**
 * `npm run measure:chain`: measures the cost of the hash chain over the log. It compares the server with the
 * same server without hashing, in alternating rounds of one run. 1 means that the chain costs nothing.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measurePairs, rowOf } from "./bench/compare.ts";
import { started } from "./bench/servers.ts";
import { range } from "./bench/table.ts";
import { WORKLOADS } from "./bench/workloads.ts";
import { buildWorker } from "./build-worker.ts";
import { startLocalServer } from "./local-server.ts";

const ROOT = join(import.meta.dirname, "..");
const CHAIN = join(ROOT, "src/storage/chain.ts");
const NAMES = new Set(["append 1", "append 1, alone", "append 100", "PATCH"]);
const PLAN = { rounds: 12, roundMs: 1_000 };
const LINK = /export function linkTo\([^)]*\): Link \{[^}]*\{[^}]*\};?\s*\}/;
const UNLINKED = `
const NO_HASH = new Uint8Array(HASH_BYTES);
export const linkTo = (_: Uint8Array, __: string, ___: ChainedCommit): Link => ({
  bodyHash: NO_HASH,
  chain: NO_HASH,
});`;

const source = readFileSync(CHAIN, "utf8");
if (!LINK.test(source)) throw new Error("src/storage/chain.ts links commits in another way now");
const unlinked = await buildWorker(join(ROOT, "src/self-hosted.ts"), {
  [CHAIN]: source.replace(LINK, UNLINKED),
});

const folder = mkdtempSync(join(tmpdir(), "measure-chain-"));
const start = (name: string, worker?: string) =>
  started(async () => {
    const location = { port: 0, host: "127.0.0.1", dataFolder: join(folder, name) };
    const server = await startLocalServer({
      ...location,
      ...(worker === undefined ? {} : { worker }),
    });
    if (server === null) throw new Error("the folder is our own, so nobody else can have it");
    return server;
  });

const chained = await start("chained");
const plain = await start("plain", unlinked);
const log = (text: string): void => void process.stderr.write(`${text}\n`);
for (const workload of WORKLOADS.filter(({ name }) => NAMES.has(name))) {
  const both = { ...workload, floor: workload.baton };
  const sides = { floor: plain.load, baton: chained.load };
  const pairs = await measurePairs(both, sides, PLAN, (text) => log(`${workload.name}: ${text}`));
  const { name, ratio, cpuRatio } = rowOf(both, pairs);
  const shown = { calls: range(ratio), cpu: range(cpuRatio) };
  console.log(
    `${name}: calls ${ratio.middle.toFixed(2)} (${shown.calls}), CPU ${cpuRatio.middle.toFixed(2)} (${shown.cpu})`,
  );
}
for (const { server, load } of [chained, plain]) {
  load.close();
  await server.stop();
}
rmSync(folder, { recursive: true, force: true });
