/** When a delivery is attempted, how a response is handled, and when an endpoint is suspended. */
import { retryAfterMsOf } from "../stops/stop";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The delay before each attempt, including the first. Standard Webhooks suggests this schedule. */
export const ATTEMPT_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Spreads the retries of deliveries that failed at the same moment. */
const JITTER = 0.1;
/** The longest delay that a receiver may request. */
const MAX_RETRY_AFTER_MS = DAY_MS;
/** An endpoint without any success for this long is suspended. */
export const SUSPEND_AFTER_MS = 5 * DAY_MS;
/** How long to wait for a response. */
export const ATTEMPT_TIMEOUT_MS = 15 * SECOND_MS;

/**
 * The outcome of one attempt. The body of the response is not stored, because whoever registered
 * the endpoint must not read it.
 */
export interface DeliveryAttempt {
  readonly at: string;
  readonly status?: number;
  readonly error?: AttemptError;
}

/**
 * `not_allowed`: the URL itself may not be called. `unreachable` includes names that resolve to a
 * private address, so that whoever registered it learns nothing about networks.
 */
type AttemptError = "timeout" | "unreachable" | "not_allowed" | "not_configured";

export type DeliveryStatus = "pending" | "delivered" | "given_up";

/** The response of a receiver, or why there is none. */
export interface DeliveryResponse {
  readonly status?: number;
  readonly retryAfter?: string;
  readonly error?: AttemptError;
  /** Values that were sealed with an older key, mapped to the same values sealed with the first key. */
  readonly resealed?: Readonly<Record<string, string>>;
}

/** 410: the receiver is gone, which ends the endpoint. */
const GONE = 410;
/** Like 410, a subscriber of MCP Events uses it to refuse one event for good. */
const CONTENT_TOO_LARGE = 413;

export const isSuccess = ({ status }: DeliveryResponse): boolean =>
  status !== undefined && status >= 200 && status < 300;

/** For a subscription: this event is not retried, but the next one is sent. */
export const isUnwanted = ({ status }: DeliveryResponse): boolean =>
  status === GONE || status === CONTENT_TOO_LARGE;

export const endsEndpoint = ({ status }: DeliveryResponse): boolean => status === GONE;

/** `attempts` counts the attempts so far. Null if none is left. `random` is in [0, 1). */
export function nextAttemptAt(
  attempts: number,
  { retryAfter }: DeliveryResponse,
  now: number,
  random: number,
  delays: readonly number[] = ATTEMPT_DELAYS_MS,
): number | null {
  const delay = delays[attempts];
  if (delay === undefined) return null;
  const spread = Math.round(delay * (1 + JITTER * (2 * random - 1)));
  const requested = retryAfter === undefined ? null : retryAfterMsOf(retryAfter, now);
  return now + Math.max(spread, Math.min(requested ?? 0, MAX_RETRY_AFTER_MS));
}
