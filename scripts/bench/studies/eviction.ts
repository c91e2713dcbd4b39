/**
 * Resumes sessions whose objects were evicted: prepared at the start of a run, measured at its end. The
 * runtime evicts an object after about 10 s without work; the floor's objects show whether it did.
 */
import {
  createFloor,
  expectStatus,
  filledBaton,
  filledFloor,
  patchFloor,
  times,
  type CreatedSession,
} from "../actors.ts";
import { resumeBaton } from "../arrivals.ts";
import type { Servers } from "../servers.ts";
import { quantile } from "../stats.ts";

const SESSIONS = 20;
const EVENTS = 1_000;
const EVICTED_AFTER_MS = 12_000;

interface Latency {
  readonly p50Ms: number;
  readonly maxMs: number;
}

export interface EvictionResult {
  readonly sessions: number;
  readonly events: number;
  /** The number of the floor's objects that were reconstructed for the first call after the wait. */
  readonly evicted: number;
  readonly floor: { readonly cold: Latency; readonly warm: Latency };
  readonly baton: { readonly cold: Latency; readonly warm: Latency };
}

interface Prepared {
  readonly witnesses: readonly CreatedSession[];
  readonly onFloor: readonly CreatedSession[];
  readonly onBaton: readonly CreatedSession[];
  readonly at: number;
}

async function callsOf({ floor }: Servers, { id }: CreatedSession): Promise<number> {
  const reply = await floor.send({ method: "GET", path: `/calls/${id}` });
  return Number(expectStatus(reply, 200).text);
}

export async function prepareEviction(servers: Servers): Promise<Prepared> {
  const sessions: Record<"witnesses" | "onFloor" | "onBaton", CreatedSession[]> = {
    witnesses: [],
    onFloor: [],
    onBaton: [],
  };
  for (const _ of times(SESSIONS, () => null)) {
    sessions.onFloor.push(await filledFloor(servers.floor, EVENTS));
    sessions.onBaton.push(await filledBaton(servers.baton, EVENTS));
    const witness = await createFloor(servers.floor);
    await callsOf(servers, witness);
    sessions.witnesses.push(witness);
  }
  return { ...sessions, at: performance.now() };
}

async function timeEach(tasks: readonly (() => Promise<unknown>)[]): Promise<Latency> {
  const took: number[] = [];
  for (const task of tasks) {
    const startedAt = performance.now();
    await task();
    took.push(performance.now() - startedAt);
  }
  return { p50Ms: quantile(took, 0.5), maxMs: quantile(took, 1) };
}

export async function studyEviction(
  servers: Servers,
  prepared: Prepared,
  progress: (text: string) => void,
): Promise<EvictionResult> {
  const left = EVICTED_AFTER_MS - (performance.now() - prepared.at);
  progress("waiting for objects to be evicted");
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  let evicted = 0;
  for (const witness of prepared.witnesses) {
    if ((await callsOf(servers, witness)) === 1) evicted += 1;
  }
  const onFloor = prepared.onFloor.map((created) => patchFloor(servers.floor, created));
  const onBaton = prepared.onBaton.map((created) => resumeBaton(servers.baton, created));
  return {
    sessions: SESSIONS,
    events: EVENTS,
    evicted,
    floor: { cold: await timeEach(onFloor), warm: await timeEach(onFloor) },
    baton: { cold: await timeEach(onBaton), warm: await timeEach(onBaton) },
  };
}
