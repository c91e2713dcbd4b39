/**
 * Objects that answer as the platform does when they have too much to do. A stub cannot be made to say
 * so here, so the Worker is given namespaces whose stubs do.
 */
import { env } from "cloudflare:workers";
import type { Env } from "../../../src/env";

export const OBJECTS = ["SESSION", "HANDOFFS", "AGENT_QUEUE", "MISSES", "OWNER_DIRECTORY"] as const;
export type ObjectName = (typeof OBJECTS)[number];

/** As the platform's own: it must not be tried again. */
const overloadError = (): Error =>
  Object.assign(new Error("Durable Object is overloaded. Too many requests queued."), {
    overloaded: true,
  });

export interface Overload {
  /** For the Worker, in place of its own. */
  readonly changes: Partial<Env>;
  /** From the next call but `calls` on. */
  start(calls?: number): void;
  end(): void;
}

/** Of these objects, none is overloaded until it is said so. */
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

/** Whatever gives a stub gives one that may be overloaded. */
const overloadable = (namespace: object, isDue: () => boolean): object =>
  new Proxy(namespace, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const call = (...given: unknown[]): unknown => Reflect.apply(value, target, given);
      return name === "get" || name === "getByName"
        ? (...given: unknown[]) => stubOf(call(...given) as object, isDue)
        : call;
    },
  });

const stubOf = (stub: object, isDue: () => boolean): object =>
  new Proxy(stub, {
    get(target, name) {
      if (name === "id" || name === "name" || name === "then") return Reflect.get(target, name);
      return (...given: unknown[]) => {
        if (isDue()) return Promise.reject(overloadError());
        const method = Reflect.get(target, name, target) as (...args: unknown[]) => unknown;
        return Reflect.apply(method, target, given);
      };
    },
  });
