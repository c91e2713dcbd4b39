/**
 * A request that changes something, before a token is attached, and the check whether it is the one
 * that was already sent.
 */
import type { PendingRequest } from "./token-store";

export interface WriteRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly ifMatch?: number | undefined;
  /**
   * Set only if the caller must be able to repeat the request itself; otherwise a random key is
   * used.
   */
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
  request: WriteRequest,
  body: string | null,
  lease?: string,
): boolean =>
  pending.operation === request.operation &&
  pending.body === body &&
  pending.path.endsWith(request.path) &&
  pending.ifMatch === (request.ifMatch ?? null) &&
  pending.lease === lease &&
  (request.key === undefined || request.key === pending.key);
