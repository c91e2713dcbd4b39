/**
 * The time from the start of a process to its first answer, and the memory of its processes at rest:
 * Baton as `npm start` runs it, the floor on workerd, and the floor on Miniflare. Each is started several
 * times, in turn. All files are in the disk cache, and the Worker is built.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildWorker } from "../../build-worker.ts";
import { serverEnvironment } from "../../install.mjs";
import { findFreePort } from "../../port.ts";
import { FLOOR_ENTRY } from "../floor-server.ts";
import { ownRuntimes, residentMb } from "../process-meter.ts";
import { median } from "../stats.ts";

interface Started {
  readonly firstAnswerMs: number;
  readonly nodeMb: number;
  readonly runtimeMb: number;
}

export interface StartResult {
  readonly starts: number;
  readonly baton: Started;
  readonly floor: Started;
  readonly miniflare: Started;
}

const SCRIPTS = join(import.meta.dirname, "../..");
/** Right after a start, its garbage is still in memory. */
const REST_MS = 3_000;
const POLL_MS = 5;
const PATIENCE_MS = 60_000;

async function firstAnswer(url: string, child: ChildProcess): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    try {
      await (await fetch(url, { headers: { Connection: "close" } })).arrayBuffer();
      return;
    } catch {
      await sleep(POLL_MS);
    }
  }
  throw new Error(`${url} did not answer`);
}

async function measureStart(
  args: (port: number, folder: string) => readonly string[],
): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), "bench-start-"));
  const port = await findFreePort("127.0.0.1");
  const env = { ...serverEnvironment(), BATON_HOME: folder, BATON_BUILD_DOCS: "false" };
  const startedAt = performance.now();
  const child = spawn(process.execPath, args(port, folder), {
    stdio: ["ignore", "ignore", "inherit"],
    env,
  });
  const pid = child.pid ?? 0;
  try {
    await firstAnswer(`http://127.0.0.1:${port}/healthz`, child);
    const firstAnswerMs = performance.now() - startedAt;
    await sleep(REST_MS);
    const runtimeMb = ownRuntimes(pid).reduce((sum, one) => sum + residentMb(one), 0);
    return { firstAnswerMs, nodeMb: residentMb(pid), runtimeMb };
  } finally {
    const ended = once(child, "exit");
    for (const one of ownRuntimes(pid)) process.kill(one, "SIGKILL");
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

const middleOf = (all: readonly Started[]): Started => ({
  firstAnswerMs: median(all.map((one) => one.firstAnswerMs)),
  nodeMb: median(all.map((one) => one.nodeMb)),
  runtimeMb: median(all.map((one) => one.runtimeMb)),
});

export async function studyStart(
  starts: number,
  progress: (text: string) => void,
): Promise<StartResult> {
  await buildWorker();
  const bundle = join(mkdtempSync(join(tmpdir(), "bench-bundle-")), "floor.js");
  writeFileSync(bundle, await buildWorker(FLOOR_ENTRY));
  const floor = join(SCRIPTS, "bench/floor-server.ts");
  const serve = join(SCRIPTS, "serve.ts");
  const sides = {
    baton: (port: number, data: string) => [serve, "--port", String(port), "--data", data],
    floor: (port: number, data: string) => [floor, String(port), data, bundle],
    miniflare: (port: number, data: string) => [floor, String(port), data, bundle, "miniflare"],
  } as const;
  const found = { baton: [], floor: [], miniflare: [] } as Record<keyof typeof sides, Started[]>;
  // The first start of each reads its files from disk and is not counted.
  for (let start = 0; start <= starts; start++) {
    for (const side of ["baton", "floor", "miniflare"] as const) {
      progress(`${side}, start ${start} of ${starts}`);
      const one = await measureStart(sides[side]);
      if (start > 0) found[side].push(one);
    }
  }
  rmSync(join(bundle, ".."), { recursive: true, force: true });
  return {
    starts,
    baton: middleOf(found.baton),
    floor: middleOf(found.floor),
    miniflare: middleOf(found.miniflare),
  };
}
