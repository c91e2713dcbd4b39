/**
 * Simulates overloaded objects. The test runtime cannot overload a stub, so the Worker gets namespaces
 * whose stubs fail as the platform's do.
 */
import { env } from "cloudflare:workers";
import type { Env } from "../../../src/env";

export const OBJECTS = ["SESSION", "HANDOFFS", "AGENT_QUEUE", "MISSES", "OWNER_DIRECTORY"] as const;
export type ObjectName = (typeof OBJECTS)[number];

/** Like the platform's error, which must not be retried. */
const overloadError = (): Error =>
  Object.assign(new Error("Durable Object is overloaded. Too many requests queued."), {
    overloaded: true,
  });

export interface Overload {
  /** Bindings that replace the Worker's own. */
  readonly changes: Partial<Env>;
  /** Fails every call after the next `calls`. */
  start(calls?: number): void;
  end(): void;
}

/** The objects are not overloaded until `start` is called. */
export function overloadOf(names: readonly ObjectName[]): Overload {
  let left = Infinity;
  const isDue = (): boolean => {
    if (left > 0) left -= 1;
    else return true;
    return false;
  };
  const bindings = env as unknown as Env;
  const changes = Object.fromEntries(
    names.map((name) => [name, overloadable(bindings[name] as object, isDue)]),
  ) as Partial<Env>;
  return {
    changes,
    start: (calls = 0) => {
      left = calls;
    },
    end: () => {
      left = Infinity;
    },
  };
}

/** Wraps every stub that the namespace returns. */
const overloadable = (namespace: object, isDue: () => boolean): object =>
  new Proxy(namespace, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const call = (...parameters: unknown[]): unknown => Reflect.apply(value, target, parameters);
      return name === "get" || name === "getByName"
        ? (...parameters: unknown[]) => stubOf(call(...parameters) as object, isDue)
        : call;
    },
  });

const stubOf = (stub: object, isDue: () => boolean): object =>
  new Proxy(stub, {
    get(target, name) {
      if (name === "id" || name === "name" || name === "then") return Reflect.get(target, name);
      return (...parameters: unknown[]) => {
        if (isDue()) return Promise.reject(overloadError());
        const method = Reflect.get(target, name, target) as (...args: unknown[]) => unknown;
        return Reflect.apply(method, target, parameters);
      };
    },
  });
