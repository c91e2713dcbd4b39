/**
 * Many sessions, one after the other: each is begun, appended to, written and read, and then left alone.
 * What the last thousand take beside the first, and the memory of the runtime along the way: objects
 * that nobody calls are evicted, so memory follows those in use and not those that there are.
 */
import {
  appendBaton,
  appendFloor,
  bearer,
  createBaton,
  createFloor,
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

const CONCURRENCY = 8;
/** The floor is beside it only to compare, so fewer of its sessions do. */
const FLOOR_SHARE = 0.2;

async function useFloor(load: Load): Promise<void> {
  const begun = await createFloor(load);
  await appendFloor(load, begun, 1)();
  await patchFloor(load, begun)();
  expectStatus(await load.send({ method: "GET", path: `/get/${begun.id}` }), 200);
}

async function useBaton(load: Load): Promise<void> {
  const session = await createBaton(load);
  await appendBaton(load, session, 1)();
  await patchBaton(load, session)();
  const call = { method: "GET", path: `/sessions/${session.id}`, headers: bearer(session) };
  expectStatus(await load.send(call), 200);
}

interface Side {
  readonly load: Load;
  readonly use: (load: Load) => Promise<void>;
  /** Sessions in one stretch. */
  readonly sessions: number;
  readonly found: Stretch[];
}

async function stretch({ load, use, sessions }: Side, end: number): Promise<number[]> {
  const took: number[] = [];
  let left = sessions;
  await Promise.all(
    times(CONCURRENCY, async () => {
      while (left > 0 && performance.now() < end) {
        left -= 1;
        const began = performance.now();
        await use(load);
        took.push(performance.now() - began);
      }
    }),
  );
  return took;
}

/**
 * Both sides in turn, so that a machine that slows down slows both. Each session is a file that is made
 * and synced several times, so the disk decides how long it takes: where time is up, it ends early and
 * gives what it has.
 */
export async function studyMany(
  { floor, baton }: Servers,
  plan: { readonly sessions: number; readonly stretch: number; readonly limitMs: number },
  progress: (text: string) => void,
): Promise<ManyResult> {
  const end = performance.now() + plan.limitMs;
  const sides: readonly [Side, Side] = [
    { load: floor, use: useFloor, sessions: plan.stretch * FLOOR_SHARE, found: [] },
    { load: baton, use: useBaton, sessions: plan.stretch, found: [] },
  ];
  progress("warming up");
  // What is not yet compiled would make the first stretch slow, and the last look good beside it.
  for (const side of sides) await stretch(side, end);
  for (let used = 0; used < plan.sessions && performance.now() < end; used += plan.stretch) {
    progress(`${used.toLocaleString("en")} of ${plan.sessions.toLocaleString("en")} sessions`);
    for (const side of sides) {
      const { load, found } = side;
      const cpu = cpuSeconds(load.pid);
      const took = await stretch(side, end);
      if (took.length === 0) continue;
      found.push({
        sessions: used + Math.round((took.length / side.sessions) * plan.stretch),
        p50Ms: median(took),
        cpuMs: ((cpuSeconds(load.pid) - cpu) * 1000) / took.length,
        residentMb: residentMb(load.pid),
      });
    }
  }
  return { floor: sides[0].found, baton: sides[1].found };
}
