/** A request that changes something, before it has a token, and how to tell that it is one already sent. */
import type { PendingRequest } from "./token-store";

export interface WriteRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly ifMatch?: number | undefined;
  /** Only where the caller has to find it again itself; else a random one is drawn. */
  readonly key?: string | undefined;
  readonly isSuccession?: boolean;
}

const KEY_BYTES = 24;

export const CREATE_PATH = "/sessions";

export const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");

export const isSameRequest = (
  pending: PendingRequest,
  intent: WriteRequest,
  body: string | null,
): boolean =>
  pending.operation === intent.operation &&
  pending.body === body &&
  pending.path.endsWith(intent.path) &&
  pending.ifMatch === (intent.ifMatch ?? null) &&
  (intent.key === undefined || intent.key === pending.key);
