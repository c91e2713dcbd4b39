/**
 * The RPC interface of a session's object: every request with its response. A new write is a
 * handler in `write-handlers.ts`, a new query a handler in `read-handlers.ts`.
 */
import type * as to from "./messages";
import type { READ_HANDLERS } from "./read-handlers";
import type { WRITE_HANDLERS } from "./write-handlers";

interface RpcTypes<Request, Value> {
  readonly request: Request;
  readonly value: Value;
}

/** The types that the handlers declare. */
type RpcTypesOf<T extends Record<keyof T, (...args: never) => unknown>> = {
  readonly [K in keyof T]: RpcTypes<
    Parameters<T[K]>[1],
    Extract<ReturnType<T[K]>, { ok: true }> extends { value: infer Value } ? Value : never
  >;
};

export type WriteRpcs = RpcTypesOf<typeof WRITE_HANDLERS>;
export type ReadRpcs = RpcTypesOf<typeof READ_HANDLERS>;

type RpcTable<T> = { readonly [K in keyof T]: RpcTypes<unknown, unknown> };
/** A request over RPC: its kind and its members. */
export type RpcRequest<T extends RpcTable<T>, K extends keyof T> = {
  readonly kind: K;
} & T[K]["request"];
export type RpcResponse<T extends RpcTable<T>, K extends keyof T> = to.Reply<T[K]["value"]>;
/**
 * The object's RPC methods. Written out because the platform's generated stub type unrolls
 * recursive JSON types without end.
 */
export interface SessionRpc {
  write<K extends keyof WriteRpcs>(
    command: RpcRequest<WriteRpcs, K>,
  ): Promise<RpcResponse<WriteRpcs, K>>;
  append(batch: to.AppendRequest): Promise<to.Reply<to.AppendOutcome>>;
  read<K extends keyof ReadRpcs>(query: RpcRequest<ReadRpcs, K>): Promise<RpcResponse<ReadRpcs, K>>;
}
