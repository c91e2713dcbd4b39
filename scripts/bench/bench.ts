/**
 * `npm run bench`: Baton against the bare platform doing the same storage work, on this machine, in one
 * run: a warm-up, alternating rounds, medians. Ratios are what counts; requests a second depend on the
 * machine.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measurePairs, rowOf, type Pair, type Row } from "./compare.ts";
import { describeFall, findFalls, ratiosToKeep, type KeptRatios } from "./guard.ts";
import { shortened, type Machine, type Result } from "./result.ts";
import { startServers, type Servers } from "./servers.ts";
import { describeStudies, describeRow, HEADING } from "./table.ts";
import { studyAllocations } from "./studies/allocations.ts";
import { studyAlone } from "./studies/alone.ts";
import { studyDelivery } from "./studies/delivery.ts";
import { prepareEviction, studyEviction } from "./studies/eviction.ts";
import { studyGrowth } from "./studies/growth.ts";
import { studyMany } from "./studies/many.ts";
import { studyMemory } from "./studies/memory.ts";
import { studyMiniflare } from "./studies/miniflare.ts";
import { studyPeers } from "./studies/peers.ts";
import { studyRace } from "./studies/race.ts";
import { studyStart } from "./studies/start.ts";
import { WORKLOADS } from "./workloads.ts";
import { writeDocs } from "./write-docs.ts";

const HELP = `Usage: npm run bench -- [options]

  --quick        the guard: the main workloads in short rounds, and what each call allocates, beside
                 what is kept; exits with status 1 if one of them got worse
  --only NAME    only workloads and studies whose name contains this; may be given several times
                 (studies: memory, race, delivery, growth, alone, eviction, many, start, miniflare,
                 allocations, peers)
  --peers        also measures the Durable Streams server from npm, which it installs first
  --rounds N     rounds on each side (default 6, quick 4)
  --starts N     starts of both servers that the rounds are spread over (default 3, quick 2)
  --json FILE    writes the whole result
  --keep         with --quick: keeps what this run found for the guard; with --write-docs: runs the
                 guard afterwards, in a process of its own, and keeps what that found
  --write-docs   draws the result, with --peers, into docs/performance.md`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    rounds: { type: "string" },
    starts: { type: "string" },
    json: { type: "string" },
    peers: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    "write-docs": { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

if (values.keep && !values.quick && !values["write-docs"]) {
  console.error("--keep needs --quick or --write-docs.");
  process.exit(2);
}

const KEPT = join(import.meta.dirname, "kept-ratios.json");
const rounds = Number(values.rounds ?? (values.quick ? 4 : 6));
const starts = Math.min(Number(values.starts ?? (values.quick ? 2 : 3)), rounds);
const roundMs = values.quick ? 600 : 1_200;
/** Of one start. */
const plan = { rounds: Math.ceil(rounds / starts), roundMs };
const studyPlan = { rounds: 5, roundMs: 800 };
const only = values.only?.map((part) => part.toLowerCase());
const isWanted = (name: string): boolean =>
  only === undefined || only.some((part) => name.toLowerCase().includes(part));
const isStudied = (name: string): boolean =>
  isWanted(name) && (only !== undefined || !values.quick);
const hasPeers = only?.includes("peers") ?? (values.peers || values["write-docs"]);

function describeMachine(load: Machine["load"]): Machine {
  const require = createRequire(import.meta.url);
  const { version } = require("workerd/package.json") as { version: string };
  const all = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    cores: all.length,
    processor: all[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
    workerd: version,
    load,
  };
}

/** On a terminal one line that changes, elsewhere a line each. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
  else if (text !== "") process.stderr.write(`${text}\n`);
}

const began = Date.now();
const loadBefore = loadavg()[0] ?? 0;
const rows: Row[] = [];
let studies: Omit<Result, "machine" | "rounds" | "starts" | "roundMs" | "seconds" | "rows"> = {};

async function study<K extends keyof typeof studies>(
  name: K,
  run: (tell: (text: string) => void) => Promise<NonNullable<(typeof studies)[K]>>,
  isPart = isStudied(name),
): Promise<void> {
  if (!isPart) return;
  const found = await run((text) => progress(`${name}: ${text}`));
  progress("");
  studies = { ...studies, [name]: found };
  console.log(describeStudies({ [name]: found }));
}

const chosen = WORKLOADS.filter(
  ({ name, isQuick }) => isWanted(name) && (only !== undefined || !values.quick || isQuick),
);
const pairs = new Map<string, readonly Pair[]>();

async function measureAll(servers: Servers, start: number): Promise<void> {
  const isLast = start === starts;
  if (isLast && chosen.length > 0) console.log(HEADING);
  for (const [index, workload] of chosen.entries()) {
    const { name } = workload;
    const measured = await measurePairs(workload, servers, plan, (text) =>
      progress(`start ${start} of ${starts}, ${index + 1} of ${chosen.length}, ${name}: ${text}`),
    );
    const all = [...(pairs.get(name) ?? []), ...measured];
    pairs.set(name, all);
    progress("");
    if (!isLast) continue;
    const row = rowOf(workload, all);
    rows.push(row);
    console.log(describeRow(row));
  }
}

if (chosen.length > 0) {
  for (let start = 1; start < starts; start++) {
    const servers = await startServers();
    await measureAll(servers, start).finally(() => servers.stop());
  }
}
const servers = await startServers();
try {
  const evictable = isStudied("eviction") ? await prepareEviction(servers) : null;
  await measureAll(servers, starts);
  await study("memory", (tell) => studyMemory([100, 10_000, 200_000, 400_000], tell));
  await study("race", (tell) => studyRace(servers, studyPlan, tell));
  await study("delivery", (tell) => studyDelivery(servers, [1, 100, 1_000], 30, tell));
  const sizes = { events: 200_000, sizes: [20, 200, 2_000] };
  await study("growth", (tell) => studyGrowth(servers, sizes, studyPlan, tell));
  await study("alone", (tell) => studyAlone(servers.baton, studyPlan.roundMs, tell));
  await study("many", (tell) => studyMany(servers, 10_000, tell));
  await study("miniflare", (tell) => studyMiniflare(servers.baton, studyPlan, tell));
  if (hasPeers) await study("peers", (tell) => studyPeers(servers.baton, studyPlan, tell));
  if (evictable !== null) {
    await study("eviction", (tell) => studyEviction(servers, evictable, tell));
  }
} finally {
  progress("");
  await servers.stop();
}
await study("start", (tell) => studyStart(3, tell));
const guarded = values.quick ? chosen : WORKLOADS.filter(({ isQuick }) => isQuick);
await study(
  "allocations",
  (tell) => studyAllocations(guarded, tell),
  values.quick || isStudied("allocations"),
);

const result: Result = {
  machine: describeMachine([loadBefore, loadavg()[0] ?? 0]),
  rounds: plan.rounds * starts,
  starts,
  roundMs,
  seconds: Math.round((Date.now() - began) / 1000),
  rows,
  ...studies,
};
if (values.json !== undefined) {
  writeFileSync(values.json, `${JSON.stringify(result, shortened, 2)}\n`);
}
if (values["write-docs"]) await writeDocs(result);

const kept = JSON.parse(readFileSync(KEPT, "utf8")) as KeptRatios;
const allocatedBy = new Map(studies.allocations?.map(({ name, kb }) => [name, kb.middle]));
const found = rows.map((row) => {
  const allocatedKb = allocatedBy.get(row.name);
  return allocatedKb === undefined ? row : { ...row, allocatedKb };
});
if (values.keep && values.quick) {
  const now = { ...kept, ...ratiosToKeep(found) };
  writeFileSync(KEPT, `${JSON.stringify(now, null, 2)}\n`);
  console.log(`Kept ${rows.length} workloads.`);
} else if (values.quick) {
  const falls = findFalls(kept, found);
  for (const fall of falls) console.log(`✗ ${describeFall(fall)}`);
  if (falls.length === 0) console.log("Nothing got worse than what is kept.");
  process.exitCode = falls.length === 0 ? 0 : 1;
} else if (values.keep) {
  // In a process of its own: one that did more before has other ratios.
  const guard = [import.meta.filename, "--quick", "--keep"];
  process.exitCode = spawnSync(process.execPath, guard, { stdio: "inherit" }).status ?? 1;
}
