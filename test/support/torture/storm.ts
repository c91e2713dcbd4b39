/** Lets the planned faults strike, one after another, at their times. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Proxy } from "../live/proxy.ts";
import type { Disk } from "./disk.ts";
import { nameOfFault, type Fault, type Planned } from "./faults.ts";
import type { World } from "./world.ts";

export interface Sky {
  readonly world: World;
  readonly disk: Disk;
  readonly proxy: Proxy;
}

export async function storm(sky: Sky, planned: readonly Planned[], began: number): Promise<void> {
  for (const { atMs, fault, isNeeded } of planned) {
    const wait = began + atMs - Date.now();
    if (wait > 0) await sleep(wait);
    // On a slow machine a restart takes long: what has piled up meanwhile must not delay the next kill.
    if (!isNeeded && wait < -LATE_MS) continue;
    for (let tries = isNeeded ? TRIES : 1; tries > 0; tries--) {
      const isDone = await strike(sky, fault);
      if (isDone) sky.world.figures.count("faults", nameOfFault(fault));
      if (isDone || tries === 1) break;
      await sleep(RETRY_MS);
    }
  }
}

const LATE_MS = 2_000;
const TRIES = 20;
const RETRY_MS = 200;

/** False where nothing was there to be struck. */
async function strike({ world, disk, proxy }: Sky, fault: Fault): Promise<boolean> {
  const { server, clock, objects } = world;
  switch (fault.kind) {
    case "kill":
      await clock.change(0, () => server.kill());
      return true;
    case "cut":
      proxy.cut();
      return true;
    case "clock":
      return clock
        .change(fault.offsetMs, () => server.setClock(fault.offsetMs))
        .then(
          () => true,
          () => false,
        );
    case "disk full": {
      const pid = server.runtimePid();
      disk.fill(pid);
      await sleep(fault.forMs);
      disk.free(pid);
      return true;
    }
    case "evict": {
      const object = objects[fault.slot];
      return object != null && server.evict(object, fault.sockets);
    }
    case "object": {
      const object = objects[fault.slot];
      return object != null && server.strike(object, fault.fault);
    }
  }
}
