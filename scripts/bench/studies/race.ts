/**
 * Sixteen writers on one session: the cost of the refused writes, and whether clients that only append
 * are affected. Appends are measured alone, during the race, and during the same writes on separate
 * sessions, which load the machine equally without a race.
 */
import {
  appendBaton,
  bearer,
  createBaton,
  createFloor,
  expectStatus,
  patchBaton,
  patchFloor,
  times,
  type CreatedSession,
} from "../actors.ts";
import type { Load } from "../load.ts";
import { cpuSeconds } from "../process-meter.ts";
import type { Servers } from "../servers.ts";
import { median, quantile } from "../stats.ts";

const WRITERS = 16;
const APPENDERS = 4;

interface Appends {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Appends that were refused at the first attempt. */
  readonly refused: number;
}

export interface RaceResult {
  readonly writers: number;
  readonly floorRate: number;
  /** Accepted writes per second. */
  readonly rate: number;
  readonly attemptsEach: number;
  /** Bytes of refusals per accepted write. */
  readonly wastedBytesEach: number;
  readonly cpuMsEach: number;
  /** CPU time of a write if each writer has a separate session. */
  readonly cpuMsUnraced: number;
  readonly appends: {
    readonly alone: Appends;
    readonly besideRace: Appends;
    readonly besideUnraced: Appends;
  };
}

interface RaceCounters {
  attempts: number;
  accepted: number;
  wastedBytes: number;
}

async function createParticipants(
  load: Load,
  owner: CreatedSession,
  count: number,
  scope: string,
): Promise<CreatedSession[]> {
  const participants: CreatedSession[] = [];
  while (participants.length < count) {
    const reply = await load.send({
      method: "POST",
      path: `/sessions/${owner.id}/handoffs`,
      headers: bearer(owner),
      body: JSON.stringify({ to: "agent", scopes: [scope] }),
    });
    const body = JSON.parse(expectStatus(reply, 201).text) as {
      resumeToken: string;
      participantToken: string;
    };
    owner.token = body.resumeToken;
    participants.push({ id: owner.id, token: body.participantToken });
  }
  return participants;
}

/** Retries with the version from the refusal until its write is accepted. */
function racer(load: Load, writer: CreatedSession, counters: RaceCounters): () => Promise<void> {
  let version: number | null = null;
  return async () => {
    for (;;) {
      counters.attempts += 1;
      const reply = await load.send({
        method: "PATCH",
        path: `/sessions/${writer.id}`,
        headers: {
          ...bearer(writer),
          ...(version === null ? {} : { "If-Match": `"${version}"` }),
        },
        body: `{"fields":{"note":"${"x".repeat(60)}${counters.attempts}"}}`,
      });
      const body = JSON.parse(reply.text) as {
        session?: { version: number };
        current?: { version: number };
      };
      version = (body.session ?? body.current)?.version ?? null;
      if (reply.status === 200) {
        writer.token = reply.header("resume-token") ?? "";
        counters.accepted += 1;
        return;
      }
      if (reply.status !== 409 && reply.status !== 412) expectStatus(reply, 200);
      counters.wastedBytes += reply.bytes;
    }
  };
}

/** Runs tasks repeatedly until stopped, and returns the duration of each call. */
function keepRunning(tasks: readonly (() => Promise<unknown>)[]) {
  const took: number[] = [];
  const stopped = new AbortController();
  const running = Promise.all(
    tasks.map(async (task) => {
      while (!stopped.signal.aborted) {
        const startedAt = performance.now();
        await task();
        took.push(performance.now() - startedAt);
      }
    }),
  );
  return async (): Promise<readonly number[]> => {
    stopped.abort();
    await running;
    return took;
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const middleOf = (rounds: readonly Appends[]): Appends => ({
  rate: median(rounds.map(({ rate }) => rate)),
  p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
  refused: rounds.reduce((sum, { refused }) => sum + refused, 0),
});

export async function studyRace(
  { floor, baton }: Servers,
  { rounds, roundMs }: { readonly rounds: number; readonly roundMs: number },
  progress: (text: string) => void,
): Promise<RaceResult> {
  progress("getting ready");
  const owner = await createBaton(baton);
  const counters: RaceCounters = { attempts: 0, accepted: 0, wastedBytes: 0 };
  const writers = await createParticipants(baton, owner, WRITERS, "fill");
  const racers = writers.map((writer) => racer(baton, writer, counters));
  const appenders = await createParticipants(baton, owner, APPENDERS, "append");
  let refused = 0;
  const appending = appenders.map((one) => {
    const append = appendBaton(baton, one, 1);
    return () => append().catch(() => void (refused += 1));
  });
  const unraced: (() => Promise<unknown>)[] = [];
  while (unraced.length < WRITERS) unraced.push(patchBaton(baton, await createBaton(baton)));
  const target = await createFloor(floor);
  const floorWriters = times(WRITERS, () => patchFloor(floor, target));

  const appendsBeside = async (others: readonly (() => Promise<unknown>)[]): Promise<Appends> => {
    refused = 0;
    const stopOthers = keepRunning(others);
    const stop = keepRunning(appending);
    const startedAt = performance.now();
    await pause(roundMs);
    const took = await stop();
    const seconds = (performance.now() - startedAt) / 1000;
    await stopOthers();
    return {
      rate: took.length / seconds,
      p50Ms: quantile(took, 0.5),
      p99Ms: quantile(took, 0.99),
      refused,
    };
  };

  const floorRates: number[] = [];
  const rates: number[] = [];
  const cpu: number[] = [];
  const cpuUnraced: number[] = [];
  const alone: Appends[] = [];
  const besideRace: Appends[] = [];
  const besideUnraced: Appends[] = [];
  const counted: RaceCounters = { attempts: 0, accepted: 0, wastedBytes: 0 };
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}`);
    floorRates.push((await floor.measure(floorWriters, roundMs)).rate);
    const before = { ...counters };
    const [cpuBefore, startedAt] = [cpuSeconds(baton.pid), performance.now()];
    const stop = keepRunning(racers);
    await pause(roundMs);
    await stop();
    const accepted = counters.accepted - before.accepted;
    rates.push((accepted * 1000) / (performance.now() - startedAt));
    cpu.push(((cpuSeconds(baton.pid) - cpuBefore) * 1000) / accepted);
    counted.attempts += counters.attempts - before.attempts;
    counted.accepted += accepted;
    counted.wastedBytes += counters.wastedBytes - before.wastedBytes;
    cpuUnraced.push((await baton.measure(unraced, roundMs)).cpuMs);
    alone.push(await appendsBeside([]));
    besideRace.push(await appendsBeside(racers));
    besideUnraced.push(await appendsBeside(unraced));
  }
  return {
    writers: WRITERS,
    floorRate: median(floorRates),
    rate: median(rates),
    attemptsEach: counted.attempts / counted.accepted,
    wastedBytesEach: counted.wastedBytes / counted.accepted,
    cpuMsEach: median(cpu),
    cpuMsUnraced: median(cpuUnraced),
    appends: {
      alone: middleOf(alone),
      besideRace: middleOf(besideRace),
      besideUnraced: middleOf(besideUnraced),
    },
  };
}
