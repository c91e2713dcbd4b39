/** A whole run: a server, sessions side by side, faults beside them, and what came of it. */
import { startProxy } from "../live/proxy.ts";
import { Random } from "../live/random.ts";
import { liveArcp } from "./arcp-life.ts";
import { makeDisk } from "./disk.ts";
import { FaultServer } from "./fault-server.ts";
import { planFaults } from "./faults.ts";
import { Figures } from "./figures.ts";
import { ServerClock } from "./server-clock.ts";
import { liveSession } from "./session-life.ts";
import { storm } from "./storm.ts";
import type { World } from "./world.ts";

export interface RunOptions {
  readonly seed: number;
  readonly durationMs: number;
  readonly kills: number;
  /** Sessions side by side over HTTP, SSE, WebSocket and MCP; one more goes over ARCP. */
  readonly slots?: number;
  /** Mean time between faults other than kills. */
  readonly gapMs?: number;
  readonly onProgress?: (figures: Figures, elapsedMs: number) => void;
}

export interface RunReport {
  readonly figures: Figures;
  readonly elapsedMs: number;
  readonly disk: string;
  /** Different processes that were the runtime: one more than kills. */
  readonly runtimes: number;
  readonly serverSaid: string;
}

const SLOTS = 4;
const GAP_MS = 350;
const PROGRESS_MS = 1_000;

export async function runTorture(options: RunOptions): Promise<RunReport> {
  const { seed, durationMs, kills, slots = SLOTS, gapMs = GAP_MS } = options;
  const random = new Random(seed);
  const planned = planFaults(random.fork(), durationMs, kills, slots + 1, gapMs);
  const disk = makeDisk();
  // Also where the process is ended from outside: a server and a mount must not outlive it.
  process.once("exit", disk.remove);
  const server = await FaultServer.start(disk);
  const proxy = await startProxy(server.url);
  const figures = new Figures();
  const began = Date.now();
  let isCalm = false;
  const world: World = {
    server,
    streamUrl: proxy.url,
    clock: new ServerClock(),
    figures,
    objects: Array.from({ length: slots + 1 }, () => null),
    // Whoever is late with its faults finds somebody to strike.
    isOver: () => isCalm && Date.now() - began >= durationMs,
  };
  const timer = setInterval(() => options.onProgress?.(figures, Date.now() - began), PROGRESS_MS);
  try {
    const seeds = Array.from({ length: slots + 1 }, () => random.fork());
    const lives = seeds.map(async (own, slot) => {
      // One that expires is among the first, so that also a short run has some.
      for (let isShort = slot === 0; !world.isOver(); isShort = false) {
        const next = own.between(0, 2 ** 31);
        await (slot === slots
          ? liveArcp(world, slot, next)
          : liveSession(world, slot, next, isShort));
      }
    });
    const storming = storm({ world, disk, proxy }, planned, began).finally(() => {
      isCalm = true;
    });
    await Promise.all([...lives, storming]);
  } finally {
    clearInterval(timer);
    await proxy.stop();
    await server.stop();
    disk.remove();
    process.off("exit", disk.remove);
  }
  return {
    figures,
    elapsedMs: Date.now() - began,
    disk: disk.kind,
    runtimes: server.pids.size,
    serverSaid: server.said,
  };
}
