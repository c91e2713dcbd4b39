/**
 * Many sessions, one after the other: each is begun, appended to, written and read, and then left alone.
 * What the last thousand take beside the first, and the memory of the runtime along the way: objects
 * that nobody calls are evicted, so memory follows those in use and not those that there are.
 */
import {
  appendBaton,
  appendFloor,
  bearer,
  beginBaton,
  beginFloor,
  expectStatus,
  patchBaton,
  patchFloor,
  times,
} from "../actors.ts";
import type { Load } from "../load.ts";
import { cpuSeconds, residentMb } from "../process-meter.ts";
import type { Servers } from "../servers.ts";
import { median } from "../stats.ts";

/** One stretch of sessions. */
interface Stretch {
  /** Sessions used up to its end. */
  readonly sessions: number;
  /** Of a session's four requests together. */
  readonly p50Ms: number;
  readonly cpuMs: number;
  readonly residentMb: number;
}

export interface ManyResult {
  readonly floor: readonly Stretch[];
  readonly baton: readonly Stretch[];
}

const STRETCH = 1_000;
const AT_ONCE = 8;

async function useFloor(load: Load): Promise<void> {
  const begun = await beginFloor(load);
  await appendFloor(load, begun, 1)();
  await patchFloor(load, begun)();
  expectStatus(await load.send({ method: "GET", path: `/get/${begun.id}` }), 200);
}

async function useBaton(load: Load): Promise<void> {
  const session = await beginBaton(load);
  await appendBaton(load, session, 1)();
  await patchBaton(load, session)();
  const call = { method: "GET", path: `/sessions/${session.id}`, headers: bearer(session) };
  expectStatus(await load.send(call), 200);
}

async function stretch(load: Load, use: (load: Load) => Promise<void>): Promise<number[]> {
  const took: number[] = [];
  let left = STRETCH;
  await Promise.all(
    times(AT_ONCE, async () => {
      while (left > 0) {
        left -= 1;
        const began = performance.now();
        await use(load);
        took.push(performance.now() - began);
      }
    }),
  );
  return took;
}

/** Both sides in turn, so that a machine that slows down slows both. */
export async function studyMany(
  { floor, baton }: Servers,
  sessions: number,
  progress: (text: string) => void,
): Promise<ManyResult> {
  const sides = [
    { load: floor, use: useFloor, found: [] as Stretch[] },
    { load: baton, use: useBaton, found: [] as Stretch[] },
  ] as const;
  // What is not yet compiled would make the first stretch slow, and the last look good beside it.
  for (const { load, use } of sides) await stretch(load, use);
  for (let used = STRETCH; used <= sessions; used += STRETCH) {
    progress(`${used.toLocaleString("en")} of ${sessions.toLocaleString("en")} sessions`);
    for (const { load, use, found } of sides) {
      const cpu = cpuSeconds(load.pid);
      const took = await stretch(load, use);
      found.push({
        sessions: used,
        p50Ms: median(took),
        cpuMs: ((cpuSeconds(load.pid) - cpu) * 1000) / STRETCH,
        residentMb: residentMb(load.pid),
      });
    }
  }
  return { floor: sides[0].found, baton: sides[1].found };
}
