/**
 * Shows where the CPU time of a call goes, on the floor and in Baton: Linux's `perf` samples the runtimes
 * in turn under the load of a workload, and V8 provides the names of JavaScript functions.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWithMap } from "../build-worker.ts";
import { times } from "./actors.ts";
import { FLOOR_ENTRY } from "./floor-server.ts";
import type { Load } from "./load.ts";
import { readStacks, SAMPLES_A_SECOND, startPerf } from "./perf.ts";
import { partOf, codeLocationsOf, type CodeLocations } from "./profile-parts.ts";
import { startServers } from "./servers.ts";
import type { Workload } from "./workload.ts";

const V8_FLAGS = [
  "--perf-basic-prof",
  "--interpreted-frames-native-stack",
  // Its log is not used and goes into a temporary file.
  "--no-logfile-per-isolate",
  "--logfile=+",
];
const SAMPLE_US = 1_000_000 / SAMPLES_A_SECOND;
const SHOWN = 40;

/** One side, and the sums of its samples in microseconds. */
class Profiled {
  readonly load: Load;
  readonly #locations: CodeLocations;
  readonly #clients: readonly (() => Promise<unknown>)[];
  readonly #files: string[] = [];
  calls = 0;
  /** A sample counts for one part, and for every JavaScript function on its stack. */
  readonly parts = new Map<string, number>();
  readonly functions = new Map<string, number>();

  constructor(load: Load, clients: readonly (() => Promise<unknown>)[], locations: CodeLocations) {
    this.load = load;
    this.#clients = clients;
    this.#locations = locations;
  }

  async warmUp(ms: number): Promise<void> {
    await this.load.measure(this.#clients, ms);
  }

  async sample(ms: number, file: string): Promise<void> {
    const perf = await startPerf(this.load.pid, file);
    const startedAt = performance.now();
    const { rate } = await this.load.measure(this.#clients, ms);
    this.calls += (rate * (performance.now() - startedAt)) / 1000;
    await perf.end();
    this.#files.push(file);
  }

  /** Called after all rounds, because it takes long enough for objects to be evicted. */
  async read(): Promise<void> {
    for (const file of this.#files) await readStacks(file, (stack) => this.#count(stack));
  }

  #count(stack: readonly string[]): void {
    add(this.parts, partOf(stack, this.#locations));
    const found = stack.map(this.#locations).filter((location) => location !== null);
    for (const key of new Set(found.map(({ file, name }) => `${name} (${file})`))) {
      add(this.functions, key);
    }
  }

  /** Microseconds per call. */
  of(kind: "parts" | "functions", key: string): number {
    return (this[kind].get(key) ?? 0) / this.calls;
  }
}

const add = (to: Map<string, number>, key: string): unknown =>
  to.set(key, (to.get(key) ?? 0) + SAMPLE_US);

/** Alternates, so that both run under the same conditions. */
export async function profile(
  workload: Workload,
  { rounds, roundMs }: { readonly rounds: number; readonly roundMs: number },
): Promise<string> {
  const floorWorker = await bundleWithMap(FLOOR_ENTRY);
  const worker = await bundleWithMap();
  const servers = await startServers(undefined, { worker: worker.text, v8Flags: V8_FLAGS });
  const folder = mkdtempSync(join(tmpdir(), "bench-profile-"));
  try {
    const prepare = async (side: "floor" | "baton", map: string): Promise<Profiled> => {
      const clients: (() => Promise<unknown>)[] = [];
      for (const _ of times(workload.clients, () => null)) {
        clients.push(await workload[side](servers[side]));
      }
      return new Profiled(servers[side], clients, codeLocationsOf(map));
    };
    const floor = await prepare("floor", floorWorker.map);
    const baton = await prepare("baton", worker.map);
    for (const side of [floor, baton]) await side.warmUp(2 * roundMs);
    for (let round = 1; round <= rounds; round++) {
      await floor.sample(roundMs, join(folder, `floor-${round}.data`));
      await baton.sample(roundMs, join(folder, `baton-${round}.data`));
    }
    for (const side of [floor, baton]) await side.read();
    return describeSides(workload.name, floor, baton);
  } finally {
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
    // The file in which V8 writes function names for perf.
    for (const { pid } of [servers.floor, servers.baton]) rmSync(`/tmp/perf-${pid}.map`);
  }
}

const sorted = (one: ReadonlyMap<string, number>): readonly string[] =>
  [...one].sort((a, b) => b[1] - a[1]).map(([key]) => key);

const cell = (us: number): string => us.toFixed(0).padStart(8);

const all = ({ parts, calls }: Profiled): number =>
  [...parts.values()].reduce((sum, us) => sum + us, 0) / calls;

function describeSides(name: string, floor: Profiled, baton: Profiled): string {
  return [
    `${name}: microseconds of CPU a call (floor, Baton; ${floor.calls.toFixed(0)} and ${baton.calls.toFixed(0)} calls)`,
    `${cell(all(floor))}${cell(all(baton))}  all`,
    ...[...new Set([...sorted(baton.parts), ...sorted(floor.parts)])].map(
      (part) => `${cell(floor.of("parts", part))}${cell(baton.of("parts", part))}  ${part}`,
    ),
    "Functions of Baton, with all that they call:",
    ...sorted(baton.functions)
      .slice(0, SHOWN)
      .map((key) => `${cell(baton.of("functions", key))}  ${key}`),
  ].join("\n");
}
