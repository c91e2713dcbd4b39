/** The same work on both sides: as Baton serves it, and on the bare platform. */
import type { Load } from "./load.ts";

/** Creates one client's endless task. */
export type Client = (load: Load) => Promise<() => Promise<unknown>>;

export interface Workload {
  readonly name: string;
  readonly group: "requests" | "replay" | "arrival";
  readonly clients: number;
  readonly floor: Client;
  readonly baton: Client;
  /** Events of the log, for a replay. */
  readonly events?: number;
  /** The target ratio, if one was set. */
  readonly target?: number;
  /** Also part of the quick run, which detects regressions. */
  readonly isQuick?: boolean;
}

/** A value that all clients share, created by the first of them. */
export function shared<T>(make: (load: Load) => Promise<T>): (load: Load) => Promise<T> {
  const values = new Map<Load, Promise<T>>();
  return (load) => {
    const one = values.get(load) ?? make(load);
    values.set(load, one);
    return one;
  };
}
