/**
 * Effects that happen once: each has a key, belongs to the lease under which it was started, and
 * ends with a result. If that lease is lost before the end, nobody knows whether the effect
 * happened.
 */
import { invalid, tooLarge, type Failure } from "../failure";
import { exceedsUtf8Bytes, utf8Bytes, type Json } from "../json";
import { LIMITS } from "../limits";
import type { NewServerEvent } from "../log/event";
import { ok, refuse, type Result } from "../result";
import { leaseLost, type HeldLease, type LeaseRef } from "./lease";

/** As it is stored. */
export interface OnceRecord {
  readonly key: string;
  /** The number of the lease under which it was started. */
  readonly lease: number;
  /** The seq of its `once.done`; null before its end, 0 if it was done in the session's parent. */
  readonly doneSeq: number | null;
  /** The JSON text of the result; null before its end. */
  readonly result: string | null;
}

export type OnceView =
  | { readonly key: string; readonly status: "started" | "unknown" }
  | { readonly key: string; readonly status: "done"; readonly result: Json };

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export const onceKeyProblem = (key: string): Failure | null =>
  VISIBLE_ASCII.test(key) && key.length <= LIMITS.onceKeyLength
    ? null
    : invalid(`the key must be 1 to ${LIMITS.onceKeyLength} visible ASCII characters`, "key");

export const LEASE_NEEDED: Failure = invalid(
  "this needs a lease: send its name and number in Baton-Lease",
  "Baton-Lease",
);

const viewDone = ({ key, result }: OnceRecord): OnceView => ({
  key,
  status: "done",
  result: JSON.parse(result ?? "null") as Json,
});

/** How long a caller waits before it asks again for an effect that another lease is working on. */
const BUSY_RETRY_MS = 1_000;

type StartDecision =
  | { readonly kind: "answer"; readonly once: OnceView }
  | { readonly kind: "start"; readonly event: NewServerEvent<"once.started"> };

interface OnceContext {
  readonly record: OnceRecord | null;
  readonly held: readonly HeldLease[];
  /** How many keys the session has. */
  readonly count: () => number;
  readonly now: number;
}

/** `retry` starts again what was started and has no end. */
export function decideStart(
  key: string,
  lease: LeaseRef,
  retry: boolean,
  { record, held, count, now }: OnceContext,
): Result<StartDecision> {
  const started = { key, lease: lease.name, number: lease.number };
  if (record === null) {
    const used = count();
    if (used >= LIMITS.onces)
      return refuse(tooLarge("the number of once keys", LIMITS.onces, used));
    return ok({ kind: "start", event: { type: "once.started", payload: started } });
  }
  if (record.doneSeq !== null) return ok({ kind: "answer", once: viewDone(record) });
  const isOwn = record.lease === lease.number;
  const other = isOwn ? undefined : held.find(({ number }) => number === record.lease);
  if (other !== undefined) {
    const retryAfterMs = Math.min(BUSY_RETRY_MS, other.expiresAt - now);
    return refuse({ code: "busy", what: "once", retryAfterMs });
  }
  if (!retry) return ok({ kind: "answer", once: { key, status: isOwn ? "started" : "unknown" } });
  return ok({
    kind: "start",
    event: { type: "once.started", payload: { ...started, again: true } },
  });
}

type EndDecision =
  | { readonly kind: "answer"; readonly once: OnceView }
  | { readonly kind: "end"; readonly event: NewServerEvent<"once.done"> };

/** Only the lease that started it ends it, and the first end stays. */
export function decideEnd(
  key: string,
  lease: LeaseRef,
  result: Json,
  record: OnceRecord | null,
  usedBytes: () => number,
): Result<EndDecision> {
  if (record === null) return refuse({ code: "not_found", what: "once key" });
  if (record.doneSeq !== null) return ok({ kind: "answer", once: viewDone(record) });
  if (record.lease !== lease.number) return refuse(leaseLost(lease, "other_lease"));
  const text = JSON.stringify(result);
  if (exceedsUtf8Bytes(text, LIMITS.eventBytes))
    return refuse(tooLarge("result, in bytes", LIMITS.eventBytes));
  const used = usedBytes();
  if (used + utf8Bytes(text) > LIMITS.onceBytes)
    return refuse(tooLarge("all results together, in bytes", LIMITS.onceBytes, used));
  const payload = { key, number: lease.number, result };
  return ok({ kind: "end", event: { type: "once.done", payload } });
}
