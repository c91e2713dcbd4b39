/**
 * The heap allocations of a call, Worker and object together, including garbage. They do not depend on
 * the machine's load, so the regression check relies on them most. They are measured on a separate
 * server, because the inspector slows everything down.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalServer } from "../../local-server.ts";
import { findFreePort } from "../../port.ts";
import { Inspector } from "../inspector.ts";
import { Load } from "../load.ts";
import { spreadOf, type Spread } from "../stats.ts";
import type { Workload } from "../workload.ts";

export interface Allocated {
  readonly name: string;
  /** Kilobytes per call, over several batches of calls. */
  readonly kb: Spread;
}

const BATCHES = 3;
/** A long replay takes milliseconds and megabytes per call, so few calls are enough. */
const LONG_CALLS = 8;

export async function studyAllocations(
  workloads: readonly Workload[],
  maxCalls: number,
  progress: (text: string) => void,
): Promise<readonly Allocated[]> {
  const dataFolder = mkdtempSync(join(tmpdir(), "bench-allocations-"));
  const address = `127.0.0.1:${await findFreePort("127.0.0.1")}`;
  const server = await startLocalServer({
    port: 0,
    host: "127.0.0.1",
    dataFolder,
    inspector: address,
  });
  if (server === null) throw new Error("the folder is our own, so nobody else can have it");
  const load = new Load({ port: Number(new URL(server.url).port), pid: 0 });
  const inspector = await Inspector.open(address, "baton");
  try {
    const results: Allocated[] = [];
    for (const workload of workloads) {
      progress(workload.name);
      const call = await workload.baton(load);
      const calls = workload.name.includes("10,000") ? Math.min(LONG_CALLS, maxCalls) : maxCalls;
      const repeat = async (times: number): Promise<void> => {
        for (let done = 0; done < times; done++) await call();
      };
      // Warms up first, because compiled code allocates less.
      await repeat(2 * calls);
      const kb: number[] = [];
      for (let batch = 0; batch < BATCHES; batch++) {
        kb.push((await inspector.allocatedBy(() => repeat(calls))) / 1024 / calls);
      }
      results.push({ name: workload.name, kb: spreadOf(kb) });
    }
    return results;
  } finally {
    inspector.close();
    load.close();
    await server.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}
