/**
 * The door of a session's object: all that can be asked of it, with what it answers. A new write is a
 * handler in `writes.ts`, a new query one in `reads.ts`.
 */
import type * as to from "./messages";
import type { READS } from "./read-handlers";
import type { WRITES } from "./write-handlers";

interface Handled<Request, Value> {
  readonly request: Request;
  readonly value: Value;
}

/** As the handlers declare them. */
type Declared<T extends Record<keyof T, (...args: never) => unknown>> = {
  readonly [K in keyof T]: Handled<
    Parameters<T[K]>[1],
    Extract<ReturnType<T[K]>, { ok: true }> extends { value: infer Value } ? Value : never
  >;
};

export type Writes = Declared<typeof WRITES>;
export type Reads = Declared<typeof READS>;

type Table<T> = { readonly [K in keyof T]: Handled<unknown, unknown> };
/** A request as it comes through the door: which one it is, and what it says. */
export type RpcRequest<T extends Table<T>, K extends keyof T> = {
  readonly kind: K;
} & T[K]["request"];
export type RpcResponse<T extends Table<T>, K extends keyof T> = to.Reply<T[K]["value"]>;
/**
 * The object as it is called. Written out because the platform's generated stub type unrolls
 * recursive JSON types without end.
 */
export interface SessionRpc {
  write<K extends keyof Writes>(command: RpcRequest<Writes, K>): Promise<RpcResponse<Writes, K>>;
  append(batch: to.AppendRequest): Promise<to.Reply<to.AppendOutcome>>;
  read<K extends keyof Reads>(query: RpcRequest<Reads, K>): Promise<RpcResponse<Reads, K>>;
}
