/**
 * The memory of a replay at each size. One process writes the log and another reads it that has done
 * nothing else, so that only the reading is measured. Each form has a separate process.
 */
import { endedBaton, filledFloor, type CreatedSession } from "../actors.ts";
import type { Load } from "../load.ts";
import { residentMb, watchMemory } from "../process-meter.ts";
import { readBaton, readFloor, type Format } from "../readers.ts";
import { makeFolders, removeFolders, startServers, type Servers } from "../servers.ts";

const FORMS: readonly Format[] = ["JSON", "NDJSON", "SSE", "WebSocket"];
/** Enough readings to include more than the garbage of one. */
const READINGS = 3;

interface SideMemory {
  /** The memory of the process after one small request. */
  readonly beforeMb: number;
  /** The peak while the log was read repeatedly. */
  readonly peakMb: number;
}

export interface MemoryResult {
  readonly events: number;
  readonly form: Format;
  readonly floor: SideMemory;
  readonly baton: SideMemory;
}

async function readAgain(
  load: Load,
  first: () => Promise<unknown>,
  read: () => Promise<void>,
): Promise<SideMemory> {
  await first();
  const beforeMb = residentMb(load.pid);
  const stopWatching = watchMemory(load.pid);
  for (let reading = 0; reading < READINGS; reading++) await read();
  return { beforeMb, peakMb: stopWatching() };
}

async function measure(
  { floor, baton }: Servers,
  logs: { readonly floor: CreatedSession; readonly baton: CreatedSession },
  events: number,
  form: Format,
): Promise<MemoryResult> {
  const floorGet = { method: "GET", path: `/get/${logs.floor.id}` };
  const batonGet = { method: "GET", path: "/healthz" };
  return {
    events,
    form,
    floor: await readAgain(
      floor,
      () => floor.send(floorGet),
      readFloor(floor, logs.floor, events, form),
    ),
    baton: await readAgain(
      baton,
      () => baton.send(batonGet),
      readBaton(baton, logs.baton, events, form),
    ),
  };
}

export async function studyMemory(
  sizes: readonly number[],
  progress: (text: string) => void,
): Promise<readonly MemoryResult[]> {
  const results: MemoryResult[] = [];
  for (const events of sizes) {
    const size = events.toLocaleString("en");
    progress(`writing ${size} events`);
    const folders = makeFolders();
    try {
      const writers = await startServers(folders);
      const logs = {
        floor: await filledFloor(writers.floor, events),
        baton: await endedBaton(writers.baton, events),
      };
      await writers.stop();
      for (const form of FORMS) {
        progress(`reading ${size} events as ${form}`);
        const readers = await startServers(folders);
        results.push(await measure(readers, logs, events, form).finally(() => readers.stop()));
      }
    } finally {
      removeFolders(folders);
    }
  }
  return results;
}
