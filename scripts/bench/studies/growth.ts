/**
 * How cost grows with size: writes on a session with 200,000 events compared with the same writes on an
 * empty one, and reads over an increasing number of sessions.
 */
import {
  appendBaton,
  bearer,
  createBaton,
  createFloor,
  expectStatus,
  filledBaton,
  patchBaton,
  times,
  type CreatedSession,
} from "../actors.ts";
import type { Load, Round } from "../load.ts";
import { residentMb } from "../process-meter.ts";
import type { Servers } from "../servers.ts";
import { median, spreadOf, type Spread } from "../stats.ts";

const APPENDERS = 8;
const READERS = 32;

interface LongLog {
  readonly operation: "append 1" | "PATCH" | "get";
  readonly empty: number;
  readonly full: number;
  /** Throughput on the long log as a share of that on the empty one. */
  readonly ratio: Spread;
  readonly cpuRatio: Spread;
}

interface ManySessions {
  readonly sessions: number;
  readonly floorRate: number;
  readonly batonRate: number;
  readonly floorCpuMs: number;
  readonly batonCpuMs: number;
  /** Memory of the runtime per session, with all sessions active. */
  readonly floorKbEach: number;
  readonly batonKbEach: number;
}

export interface GrowthResult {
  readonly events: number;
  readonly longLog: readonly LongLog[];
  readonly manySessions: readonly ManySessions[];
}

interface Plan {
  readonly rounds: number;
  readonly roundMs: number;
}

const getBaton = (load: Load, session: CreatedSession): (() => Promise<unknown>) => {
  const call = { method: "GET", path: `/sessions/${session.id}`, headers: bearer(session) };
  return async () => expectStatus(await load.send(call), 200);
};

async function compareLogs(baton: Load, events: number, plan: Plan): Promise<readonly LongLog[]> {
  const [empty, full] = [await createBaton(baton), await filledBaton(baton, events)];
  const tasksOf = (session: CreatedSession) =>
    ({
      // Appends spend no token, so several clients may share it; a chain of writes is sequential.
      "append 1": times(APPENDERS, () => appendBaton(baton, session, 1)),
      PATCH: [patchBaton(baton, session)],
      get: times(APPENDERS, () => getBaton(baton, session)),
    }) as const;
  const [onEmpty, onFull] = [tasksOf(empty), tasksOf(full)];
  const results: LongLog[] = [];
  for (const operation of ["append 1", "PATCH", "get"] as const) {
    const pairs: { empty: Round; full: Round }[] = [];
    await baton.measure(onEmpty[operation], plan.roundMs / 2);
    await baton.measure(onFull[operation], plan.roundMs / 2);
    for (let round = 0; round < plan.rounds; round++) {
      // The order alternates, as in every other comparison.
      const first = round % 2 === 0 ? onEmpty : onFull;
      const second = first === onEmpty ? onFull : onEmpty;
      const one = await baton.measure(first[operation], plan.roundMs);
      const other = await baton.measure(second[operation], plan.roundMs);
      pairs.push(first === onEmpty ? { empty: one, full: other } : { empty: other, full: one });
    }
    results.push({
      operation,
      empty: median(pairs.map((pair) => pair.empty.rate)),
      full: median(pairs.map((pair) => pair.full.rate)),
      ratio: spreadOf(pairs.map((pair) => pair.full.rate / pair.empty.rate)),
      cpuRatio: spreadOf(pairs.map((pair) => pair.empty.cpuMs / pair.full.cpuMs)),
    });
  }
  return results;
}

/** Clients that visit all sessions in turn, so that more sessions mean rarer use of each. */
const goRound = (tasks: readonly (() => Promise<unknown>)[]): (() => Promise<unknown>)[] => {
  let turn = 0;
  return times(READERS, () => async () => {
    turn += 1;
    await tasks[turn % tasks.length]?.();
  });
};

async function compareCounts(
  { floor, baton }: Servers,
  sizes: readonly number[],
  plan: Plan,
  progress: (text: string) => void,
): Promise<readonly ManySessions[]> {
  const onFloor: (() => Promise<unknown>)[] = [];
  const onBaton: (() => Promise<unknown>)[] = [];
  const results: ManySessions[] = [];
  for (const sessions of sizes) {
    progress(`${sessions} sessions`);
    const added = sessions - onFloor.length;
    const [floorMb, batonMb] = [residentMb(floor.pid), residentMb(baton.pid)];
    while (onFloor.length < sessions) {
      await Promise.all(
        times(Math.min(READERS, sessions - onFloor.length), async () => {
          const { id } = await createFloor(floor);
          const call = { method: "GET", path: `/get/${id}` };
          onFloor.push(async () => expectStatus(await floor.send(call), 200));
        }),
      );
    }
    while (onBaton.length < sessions) {
      await Promise.all(
        times(Math.min(READERS, sessions - onBaton.length), async () => {
          onBaton.push(getBaton(baton, await createBaton(baton)));
        }),
      );
    }
    // Below zero if garbage was collected meanwhile.
    const grown = [residentMb(floor.pid) - floorMb, residentMb(baton.pid) - batonMb];
    for (const tasks of [onFloor, onBaton]) for (const task of tasks) await task();
    const rounds: { floor: Round; baton: Round }[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      rounds.push({
        floor: await floor.measure(goRound(onFloor), plan.roundMs),
        baton: await baton.measure(goRound(onBaton), plan.roundMs),
      });
    }
    const middle = (side: "floor" | "baton", key: "rate" | "cpuMs"): number =>
      median(rounds.map((round) => round[side][key]));
    results.push({
      sessions,
      floorRate: middle("floor", "rate"),
      batonRate: middle("baton", "rate"),
      floorCpuMs: middle("floor", "cpuMs"),
      batonCpuMs: middle("baton", "cpuMs"),
      floorKbEach: Math.max(0, ((grown[0] ?? 0) * 1024) / added),
      batonKbEach: Math.max(0, ((grown[1] ?? 0) * 1024) / added),
    });
  }
  return results;
}

export async function studyGrowth(
  servers: Servers,
  { events, sizes }: { readonly events: number; readonly sizes: readonly number[] },
  plan: Plan,
  progress: (text: string) => void,
): Promise<GrowthResult> {
  progress(`a log of ${events.toLocaleString("en")} events`);
  // Twice as many rounds, because the expected result is no difference.
  const longLog = await compareLogs(servers.baton, events, { ...plan, rounds: 2 * plan.rounds });
  return { events, longLog, manySessions: await compareCounts(servers, sizes, plan, progress) };
}
