/** The results of one run, as stored in JSON and shown in docs/performance.md. */
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
  /** The load average at the start and at the end of the run. */
  readonly load: readonly [before: number, after: number];
}

export interface Result {
  readonly machine: Machine;
  /** Rounds per side, over all starts. */
  readonly rounds: number;
  /** How often both servers were restarted, because processes differ in speed by chance. */
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
  /** Compared with the floor behind Miniflare, on which the targets were set. */
  readonly miniflare?: readonly Row[];
  readonly peers?: readonly PeerResult[];
  readonly allocations?: readonly Allocated[];
}

/** Rounds to four digits, which exceed the precision and keep the stored files stable. */
export const shortened = (_: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
