/**
 * `npm run bench`: Baton against the bare platform doing the same storage work, on this machine, in one
 * run: a warm-up, alternating rounds, medians. Only the ratios matter; requests per second depend on the
 * machine.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measurePairs, rowOf, type Pair, type Row } from "./compare.ts";
import {
  describeRegression,
  findRegressions,
  baselineRatiosOf,
  type BaselineRatios,
} from "./regressions.ts";
import { endRuntimesWithThisProcess, Parts } from "./parts.ts";
import { profile } from "./profile.ts";
import { shortened, type Machine, type Result } from "./result.ts";
import { startServers, type Servers } from "./servers.ts";
import { FULL, QUICK, TRIAL } from "./sizes.ts";
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

const BASELINE_FILE = "kept-ratios.json";
/** No part starts later, so that a run ends within 20 minutes, including its last part and the check. */
const LAST_START_MS = 15 * 60_000;
/** The share of that time for repeated starts of the servers. */
const STARTS_MS = 9 * 60_000;

const HELP = `Usage: npm run bench -- [options]

  --quick        the guard: the main workloads in short rounds, and what each call allocates, beside
                 what is kept; exits with status 1 if one of them got worse
  --only NAME    only workloads and studies whose name contains this; may be given several times
                 (studies: memory, race, delivery, growth, alone, eviction, many, start, miniflare,
                 allocations, peers)
  --peers        also measures the Durable Streams server from npm, which it installs first
  --profile      measures nothing: samples the CPU of the workloads with Linux's perf, on both sides
                 in turn, and prints where that of a call goes
  --rounds N     rounds on each side (default ${FULL.rounds}, quick ${QUICK.rounds})
  --starts N     starts of both servers that the rounds are spread over (default ${FULL.starts}, quick ${QUICK.starts})
  --json FILE    writes the whole result
  --keep         with --quick: keeps what this run found for the guard; with --write-docs: runs the
                 guard afterwards, in a process of its own, and keeps what that found
  --write-docs   draws the result, with --peers, into docs/performance.md, part by part
  --trial DIR    goes through all of it in the shortest way, to see that it works: what it would write
                 goes into DIR, and the numbers mean nothing`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    rounds: { type: "string" },
    starts: { type: "string" },
    json: { type: "string" },
    peers: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    "write-docs": { type: "boolean", default: false },
    trial: { type: "string" },
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

const OWN = {
  docs: join(import.meta.dirname, "../../docs"),
  kept: join(import.meta.dirname, BASELINE_FILE),
};
const { docs, kept: keptFile } = values.trial === undefined ? OWN : copied(values.trial);
const sizes = values.trial !== undefined ? TRIAL : values.quick ? QUICK : FULL;
const rounds = Number(values.rounds ?? sizes.rounds);
const starts = Math.min(Number(values.starts ?? sizes.starts), rounds);
const { roundMs, study: studyPlan } = sizes;
/** The plan of one start. */
const plan = { rounds: Math.ceil(rounds / starts), roundMs };
const parts = new Parts(LAST_START_MS);
endRuntimesWithThisProcess();
const progress = (text: string): void => parts.progress(text);
const only = values.only?.map((part) => part.toLowerCase());
const isSelected = (name: string): boolean =>
  only === undefined || only.some((part) => name.toLowerCase().includes(part));
const isStudied = (name: string): boolean =>
  isSelected(name) && (only !== undefined || !values.quick);
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

/** A trial writes into a copy of the docs, so that the real page stays unchanged. */
function copied(folder: string): typeof OWN {
  mkdirSync(join(folder, "performance"), { recursive: true });
  const baseline = join(folder, BASELINE_FILE);
  for (const name of ["performance.md", "performance/results.json"]) {
    if (!existsSync(join(folder, name))) copyFileSync(join(OWN.docs, name), join(folder, name));
  }
  if (!existsSync(baseline)) copyFileSync(OWN.kept, baseline);
  return { docs: folder, kept: baseline };
}

const loadBefore = loadavg()[0] ?? 0;
const rows: Row[] = [];
let studies: Omit<Result, "machine" | "rounds" | "starts" | "roundMs" | "seconds" | "rows"> = {};

async function study<K extends keyof typeof studies>(
  name: K,
  run: (onProgress: (text: string) => void) => Promise<NonNullable<(typeof studies)[K]>>,
  isPart = isStudied(name),
): Promise<void> {
  if (!isPart) return;
  const found = await parts.run(name, () => run((text) => progress(`${name}: ${text}`)));
  if (found === null) return;
  studies = { ...studies, [name]: found };
  console.log(describeStudies({ [name]: found }));
  await save();
}

/** Saves after every part, so that an interrupted run keeps its results. */
async function save(): Promise<void> {
  const result: Result = {
    machine: describeMachine([loadBefore, loadavg()[0] ?? 0]),
    rounds: plan.rounds * started,
    starts: started,
    roundMs,
    seconds: Math.round(parts.elapsedMs / 1000),
    rows,
    ...studies,
  };
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify(result, shortened, 2)}\n`);
  }
  if (values["write-docs"]) await parts.run("the page", () => writeDocs(result, docs));
}

const chosen = WORKLOADS.filter(
  ({ name, isQuick, events = 0 }) =>
    isSelected(name) &&
    events <= sizes.longest &&
    (only !== undefined || !values.quick || isQuick === true),
);
if (values.profile) {
  for (const workload of chosen) console.log(`${await profile(workload, { rounds, roundMs })}\n`);
  process.exit(0);
}
/** In events. */
const LONG_LOG = 10_000;
const pairs = new Map<string, readonly Pair[]>();

/** Fewer than planned if the time was short. */
let started = 0;

async function measureAll(servers: Servers, start: number): Promise<void> {
  started += 1;
  const isLast = start === starts;
  if (isLast && chosen.length > 0) console.log(HEADING);
  for (const [index, workload] of chosen.entries()) {
    const { name, events = 0 } = workload;
    // Workloads with the longest preparation vary least between starts, so they run once.
    if (!isLast && events > LONG_LOG) continue;
    const measured = await parts.run(name, () =>
      measurePairs(workload, servers, plan, (text) =>
        progress(`start ${start} of ${starts}, ${index + 1} of ${chosen.length}, ${name}: ${text}`),
      ),
    );
    const all = [...(pairs.get(name) ?? []), ...(measured ?? [])];
    pairs.set(name, all);
    if (!isLast || all.length === 0) continue;
    const row = rowOf(workload, all);
    rows.push(row);
    console.log(describeRow(row));
  }
}

if (chosen.length > 0) {
  for (let start = 1; start < starts; start++) {
    const left = STARTS_MS - parts.elapsedMs;
    if (left < parts.elapsedMs / Math.max(start - 1, 1)) break;
    const servers = await startServers();
    await measureAll(servers, start).finally(() => servers.stop());
  }
}
const servers = await startServers();
try {
  const evictable = isStudied("eviction")
    ? await parts.run("eviction", () => prepareEviction(servers))
    : null;
  await measureAll(servers, starts);
  if (rows.length > 0) await save();
  const { listeners, announced, growth } = sizes;
  await study("delivery", (onProgress) => studyDelivery(servers, listeners, announced, onProgress));
  await study("race", (onProgress) => studyRace(servers, studyPlan, onProgress));
  await study("alone", (onProgress) => studyAlone(servers.baton, studyPlan.roundMs, onProgress));
  await study("miniflare", (onProgress) => studyMiniflare(servers.baton, studyPlan, onProgress));
  await study("many", (onProgress) => studyMany(servers, sizes.many, onProgress));
  if (hasPeers)
    await study("peers", (onProgress) => studyPeers(servers.baton, studyPlan, onProgress));
  if (evictable !== null) {
    await study("eviction", (onProgress) => studyEviction(servers, evictable, onProgress));
  }
  await study("growth", (onProgress) => studyGrowth(servers, growth, studyPlan, onProgress));
} finally {
  progress("");
  await servers.stop();
}
await study("start", (onProgress) => studyStart(sizes.restarts, onProgress));
const guarded = values.quick ? chosen : WORKLOADS.filter(({ isQuick }) => isQuick);
await study(
  "allocations",
  (onProgress) => studyAllocations(guarded, sizes.calls, onProgress),
  values.quick || isStudied("allocations"),
);
// The longest study with the least new information comes last.
await study("memory", (onProgress) => studyMemory(sizes.memory, onProgress));
await save();

const baseline = JSON.parse(readFileSync(keptFile, "utf8")) as BaselineRatios;
const allocatedBy = new Map(studies.allocations?.map(({ name, kb }) => [name, kb.middle]));
const found = rows.map((row) => {
  const allocatedKb = allocatedBy.get(row.name);
  return allocatedKb === undefined ? row : { ...row, allocatedKb };
});
let status = parts.problems.length === 0 ? 0 : 1;
if (values.keep && values.quick) {
  const now = { ...baseline, ...baselineRatiosOf(found) };
  writeFileSync(keptFile, `${JSON.stringify(now, null, 2)}\n`);
  console.log(`Kept ${rows.length} workloads.`);
} else if (values.quick) {
  const regressions = findRegressions(baseline, found);
  for (const regression of regressions) console.log(`✗ ${describeRegression(regression)}`);
  if (regressions.length === 0) console.log("Nothing got worse than what is kept.");
  else status = 1;
} else if (values.keep) {
  // In a separate process, because earlier work changes the ratios.
  const trial = values.trial === undefined ? [] : ["--trial", values.trial];
  const guard = [import.meta.filename, "--quick", "--keep", ...trial];
  if (spawnSync(process.execPath, guard, { stdio: "inherit" }).status !== 0) status = 1;
}
for (const problem of parts.problems) console.error(`✗ ${problem}`);
process.exit(status);
