/** What every part of a run shares. */
import type { FaultServer } from "./fault-server.ts";
import type { Figures } from "./figures.ts";
import type { ServerClock } from "./server-clock.ts";

export interface World {
  readonly server: FaultServer;
  /** For what stays connected: it can be cut. */
  readonly streamUrl: string;
  readonly clock: ServerClock;
  readonly figures: Figures;
  /** The object that lives in each slot now, for faults to find. */
  readonly objects: (string | null)[];
  /** True once no new session is to begin. */
  isOver(): boolean;
}
