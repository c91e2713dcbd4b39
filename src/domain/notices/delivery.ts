/** When a delivery is tried, what an attempt comes to, and when an endpoint is given up. */
import { retryAfterMsOf } from "../stops/stop";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Before each attempt, the first among them: the schedule that Standard Webhooks suggests. */
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
/** Spreads those who all failed at the same moment. */
const JITTER = 0.1;
/** The longest that a receiver may put off the next attempt. */
const MAX_RETRY_AFTER_MS = DAY_MS;
/** An endpoint where nothing succeeds for that long is suspended. */
export const SUSPEND_AFTER_MS = 5 * DAY_MS;
/** An answer is waited for that long. */
export const ATTEMPT_TIMEOUT_MS = 15 * SECOND_MS;

/** What one attempt met. Nothing of the answer's body is kept: it is not the registrant's to read. */
export interface DeliveryAttempt {
  readonly at: string;
  readonly status?: number;
  readonly error?: AttemptError;
}

/**
 * `not_allowed` where the address as it is written may not be called. `unreachable` also where its name
 * leads to a private address: who registers it learns nothing of networks.
 */
type AttemptError = "timeout" | "unreachable" | "not_allowed" | "not_configured";

export type DeliveryStatus = "pending" | "delivered" | "given_up";

/** What a receiver answered, or why there is no answer. */
export interface DeliveryResponse {
  readonly status?: number;
  readonly retryAfter?: string;
  readonly error?: AttemptError;
  /** What was sealed under an older key, and the same sealed under the first one. */
  readonly resealed?: Readonly<Record<string, string>>;
}

/** 410 says that nobody is there any more, and ends the endpoint. */
const GONE = 410;
/** With 410, what a subscriber of MCP Events says to one event that it does not want again. */
const CONTENT_TOO_LARGE = 413;

export const isSuccess = ({ status }: DeliveryResponse): boolean =>
  status !== undefined && status >= 200 && status < 300;

/** To a subscription: this event is not to be tried again, and the next one is. */
export const isUnwanted = ({ status }: DeliveryResponse): boolean =>
  status === GONE || status === CONTENT_TOO_LARGE;

export const endsEndpoint = ({ status }: DeliveryResponse): boolean => status === GONE;

/** `made` counts the attempts made so far; null where there is none left. `dice` is from 0 up to 1. */
export function nextAttemptAt(
  made: number,
  { retryAfter }: DeliveryResponse,
  now: number,
  dice: number,
  delays: readonly number[] = ATTEMPT_DELAYS_MS,
): number | null {
  const delay = delays[made];
  if (delay === undefined) return null;
  const spread = Math.round(delay * (1 + JITTER * (2 * dice - 1)));
  const asked = retryAfter === undefined ? null : retryAfterMsOf(retryAfter, now);
  return now + Math.max(spread, Math.min(asked ?? 0, MAX_RETRY_AFTER_MS));
}
