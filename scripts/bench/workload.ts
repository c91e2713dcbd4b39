/** The same work twice: as Baton serves it, and as the bare platform would. */
import type { Load } from "./load.ts";

/** Makes one client's endless task. */
export type Client = (load: Load) => Promise<() => Promise<unknown>>;

export interface Workload {
  readonly name: string;
  readonly group: "requests" | "replay" | "arrival";
  readonly clients: number;
  readonly floor: Client;
  readonly baton: Client;
  /** Of the log that is read, where it is a replay. */
  readonly events?: number;
  /** The ratio that must be kept, where one was set. */
  readonly target?: number;
  /** Also part of the quick run, which guards against regressions. */
  readonly isQuick?: boolean;
}

/** For what all clients share: made with the first of them. */
export function shared<T>(make: (load: Load) => Promise<T>): (load: Load) => Promise<T> {
  const made = new Map<Load, Promise<T>>();
  return (load) => {
    const one = made.get(load) ?? make(load);
    made.set(load, one);
    return one;
  };
}
