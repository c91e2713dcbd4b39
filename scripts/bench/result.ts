/** What one run found, as it is kept in JSON and drawn in docs/performance.md. */
import type { Row } from "./compare.ts";
import type { Allocated } from "./studies/allocations.ts";
import type { Alone } from "./studies/alone.ts";
import type { DeliveryResult } from "./studies/delivery.ts";
import type { EvictionResult } from "./studies/eviction.ts";
import type { GrowthResult } from "./studies/growth.ts";
import type { ManyResult } from "./studies/many.ts";
import type { MemoryResult } from "./studies/memory.ts";
import type { PeerResult } from "./studies/peers.ts";
import type { RaceResult } from "./studies/race.ts";
import type { StartResult } from "./studies/start.ts";

export interface Machine {
  readonly date: string;
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  readonly node: string;
  readonly workerd: string;
  /** Mean number of processes that wanted a core, at the beginning and at the end of the run. */
  readonly load: readonly [before: number, after: number];
}

export interface Result {
  readonly machine: Machine;
  /** On each side, over all starts. */
  readonly rounds: number;
  /** How often both servers were started anew: a process is quicker or slower than the next by luck. */
  readonly starts: number;
  readonly roundMs: number;
  readonly seconds: number;
  readonly rows: readonly Row[];
  readonly memory?: readonly MemoryResult[];
  readonly race?: RaceResult;
  readonly delivery?: readonly DeliveryResult[];
  readonly growth?: GrowthResult;
  readonly eviction?: EvictionResult;
  readonly alone?: Alone;
  readonly start?: StartResult;
  readonly many?: ManyResult;
  /** Against the floor behind Miniflare, where the targets were set. */
  readonly miniflare?: readonly Row[];
  readonly peers?: readonly PeerResult[];
  readonly allocations?: readonly Allocated[];
}

/** Four digits say more than these measurements know, and make kept files change less. */
export const shortened = (_: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
