/** Measures one workload on both sides: a warm-up, then alternating rounds, and their medians. */
import { times } from "./actors.ts";
import type { Load, Round } from "./load.ts";
import type { Servers } from "./servers.ts";
import { median, spreadOf, type Spread } from "./stats.ts";
import type { Client, Workload } from "./workload.ts";

export interface Row {
  readonly name: string;
  readonly group: Workload["group"];
  readonly clients: number;
  readonly floor: Round;
  readonly baton: Round;
  /** Baton's throughput as a share of the floor's, per round. */
  readonly ratio: Spread;
  /** The floor's CPU time per call as a share of Baton's: on the same scale, 1 equals the floor. */
  readonly cpuRatio: Spread;
  readonly target: number | null;
}

interface Plan {
  readonly rounds: number;
  readonly roundMs: number;
}

/** Two consecutive rounds, so that both ran under the same conditions. */
export interface Pair {
  readonly floor: Round;
  readonly baton: Round;
}

const clientsOf = async (load: Load, client: Client, count: number) => {
  const clients: (() => Promise<unknown>)[] = [];
  for (const _ of times(count, () => null)) clients.push(await client(load));
  return clients;
};

export async function measurePairs(
  workload: Workload,
  { floor, baton }: Pick<Servers, "floor" | "baton">,
  plan: Plan,
  progress: (text: string) => void,
): Promise<readonly Pair[]> {
  progress("getting ready");
  const floorClients = await clientsOf(floor, workload.floor, workload.clients);
  const batonClients = await clientsOf(baton, workload.baton, workload.clients);
  const onFloor = (ms: number) => floor.measure(floorClients, ms);
  const onBaton = (ms: number) => baton.measure(batonClients, ms);
  progress("warming up");
  await onFloor(plan.roundMs / 2);
  await onBaton(plan.roundMs / 2);
  const pairs: Pair[] = [];
  for (let round = 1; round <= plan.rounds; round++) {
    progress(`round ${round} of ${plan.rounds}`);
    // The order alternates, so that a machine that slows down favours neither.
    if (round % 2 === 1) {
      pairs.push({ floor: await onFloor(plan.roundMs), baton: await onBaton(plan.roundMs) });
    } else {
      const first = await onBaton(plan.roundMs);
      pairs.push({ floor: await onFloor(plan.roundMs), baton: first });
    }
  }
  return pairs;
}

export function rowOf(workload: Workload, rounds: readonly Pair[]): Row {
  return {
    name: workload.name,
    group: workload.group,
    clients: workload.clients,
    floor: middleOf(rounds.map((pair) => pair.floor)),
    baton: middleOf(rounds.map((pair) => pair.baton)),
    ratio: spreadOf(rounds.map((pair) => pair.baton.rate / pair.floor.rate)),
    cpuRatio: spreadOf(rounds.map((pair) => pair.floor.cpuMs / pair.baton.cpuMs)),
    target: workload.target ?? null,
  };
}

function middleOf(rounds: readonly Round[]): Round {
  const of = (key: keyof Round): number => median(rounds.map((round) => round[key]));
  return {
    rate: of("rate"),
    cpuMs: of("cpuMs"),
    p50Ms: of("p50Ms"),
    p99Ms: of("p99Ms"),
    generator: of("generator"),
    peakMb: Math.max(...rounds.map(({ peakMb }) => peakMb)),
  };
}
