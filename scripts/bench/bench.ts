/**
 * `npm run bench`: Baton against the bare platform doing the same storage work, on this machine, in one
 * run: alternating rounds, a warm-up, medians. Ratios are what counts; requests a second depend on the
 * machine. `--quick` runs fewer and shorter rounds, `--json FILE` keeps the result.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { buildWorker } from "../build-worker.ts";
import { COMPATIBILITY_DATE, startLocalServer } from "../local-server.ts";
import { Load } from "./load.ts";
import { WORKLOADS, type Workload } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    only: { type: "string" },
  },
});
const ROUNDS = values.quick ? 3 : 5;
const ROUND_MS = values.quick ? 1_000 : 2_500;

interface Row {
  readonly name: string;
  readonly floor: number;
  readonly baton: number;
  readonly ratio: number;
  /** The middle ratio's neighbours: how far rounds lie apart. */
  readonly spread: readonly [number, number];
  readonly target: number;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

async function startFloor(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const converted = convertV4MiniflareOptions({
    name: "floor",
    host: "127.0.0.1",
    port: 0,
    log: new Log(LogLevel.ERROR),
    modules: [
      {
        type: "ESModule",
        path: "index.js",
        contents: await buildWorker(join(import.meta.dirname, "floor-worker.ts")),
      },
    ],
    compatibilityDate: COMPATIBILITY_DATE,
    durableObjects: { FLOOR: { className: "FloorObject", useSQLite: true } },
  });
  const miniflare = new Miniflare({ ...converted, resourcePersistencePath: folder });
  const { port } = await miniflare.ready;
  return { url: `http://127.0.0.1:${port}`, stop: () => miniflare.dispose() };
}

async function measure(workload: Workload, floor: Load, baton: Load): Promise<Row> {
  const clientsOf = (load: Load, client: Workload["floor"]) =>
    Promise.all(Array.from({ length: workload.clients }, () => client(load)));
  const [floorClients, batonClients] = [
    await clientsOf(floor, workload.floor),
    await clientsOf(baton, workload.baton),
  ];
  await floor.measure(floorClients, ROUND_MS / 2);
  await baton.measure(batonClients, ROUND_MS / 2);
  const rounds: { floor: number; baton: number }[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    process.stderr.write(`\r${workload.name}: round ${round} of ${ROUNDS}   `);
    const pair = {
      floor: await floor.measure(floorClients, ROUND_MS),
      baton: await baton.measure(batonClients, ROUND_MS),
    };
    rounds.push(pair);
  }
  process.stderr.write("\r\u001B[K");
  const ratios = rounds.map((pair) => pair.baton / pair.floor).toSorted((a, b) => a - b);
  return {
    name: workload.name,
    floor: median(rounds.map((pair) => pair.floor)),
    baton: median(rounds.map((pair) => pair.baton)),
    ratio: median(ratios),
    spread: [ratios[0] ?? 0, ratios.at(-1) ?? 0],
    target: workload.target,
  };
}

const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), "baton-bench-")));
const [floorFolder = "", batonFolder = ""] = folders;
const floorServer = await startFloor(floorFolder);
const batonServer = await startLocalServer({ port: 0, host: "127.0.0.1", dataFolder: batonFolder });
if (batonServer === null) throw new Error("the data folder is taken");
const floor = new Load(floorServer.url, 64);
const baton = new Load(batonServer.url, 64);
const rows: Row[] = [];
console.log("workload                 floor/s   baton/s   ratio  (spread)      target");
try {
  for (const workload of WORKLOADS.filter(({ name }) => name.includes(values.only ?? ""))) {
    const row = await measure(workload, floor, baton);
    rows.push(row);
    const numbers = [row.floor.toFixed(0).padStart(8), row.baton.toFixed(0).padStart(9)];
    const spread = `(${row.spread.map((ratio) => ratio.toFixed(2)).join("–")})`;
    const verdict = row.ratio >= row.target ? "✓" : "✗";
    console.log(
      `${row.name.padEnd(24)} ${numbers.join(" ")}   ${row.ratio.toFixed(2)}  ${spread.padEnd(13)} ${row.target.toFixed(2)} ${verdict}`,
    );
  }
} finally {
  floor.close();
  baton.close();
  await Promise.all([floorServer.stop(), batonServer.stop()]);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
