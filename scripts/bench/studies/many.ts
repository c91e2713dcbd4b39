/**
 * Many sessions, one after the other: each is created, appended to, written and read, and then left
 * unused. It compares the last thousand with the first, and records the runtime's memory: idle objects
 * are evicted, so memory depends on the sessions in use and not on their total.
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
  /** The total number of sessions at its end. */
  readonly sessions: number;
  /** The sum of a session's four requests. */
  readonly p50Ms: number;
  readonly cpuMs: number;
  readonly residentMb: number;
}

export interface ManyResult {
  readonly floor: readonly Stretch[];
  readonly baton: readonly Stretch[];
}

const CONCURRENCY = 8;
/** The floor is only a reference, so it needs fewer sessions. */
const FLOOR_SHARE = 0.2;

async function useFloor(load: Load): Promise<void> {
  const created = await createFloor(load);
  await appendFloor(load, created, 1)();
  await patchFloor(load, created)();
  expectStatus(await load.send({ method: "GET", path: `/get/${created.id}` }), 200);
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
        const startedAt = performance.now();
        await use(load);
        took.push(performance.now() - startedAt);
      }
    }),
  );
  return took;
}

/**
 * Alternates between both sides, so that a machine that slows down affects both. Each session is a file
 * that is created and synced several times, so the disk determines the duration. If the time is up, the
 * study ends early with the results so far.
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
  // Warms up first: uncompiled code would make the first stretch slow and the last look good.
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
