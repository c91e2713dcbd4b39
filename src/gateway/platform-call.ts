/**
 * Calling an object and what can go wrong between here and there. Overload is passed on at once;
 * a reset is retried on a new stub, but only what can be repeated without harm.
 */
import type { Failure } from "../domain/failure";
import { NEWER_DATA } from "../domain/newer-data";
import type { Refusal } from "../object/messages";
import type { Call } from "./call";

const ATTEMPTS = 3;
const OVERLOAD_RETRY_MS = 1_000;
/** About what a deploy takes to reach every place. */
const NEWER_DATA_RETRY_MS = 30_000;

interface PlatformError {
  readonly overloaded?: boolean;
  readonly retryable?: boolean;
  /** The object was restarted under the call; the next one finds a new instance. */
  readonly durableObjectReset?: boolean;
}

export async function callObject<Stub, T>(
  connect: () => Stub,
  isRepeatable: boolean,
  call: (stub: Stub) => Promise<T>,
  timed: Call | null = null,
): Promise<T | Refusal> {
  for (let attempt = 1; ; attempt++) {
    const startedAt = Date.now();
    try {
      return await call(connect());
    } catch (error) {
      const { overloaded, retryable, durableObjectReset } = error as PlatformError;
      if (overloaded === true) return { ok: false, failure: overload };
      if (retryable === true || durableObjectReset === true) {
        if (isRepeatable && attempt < ATTEMPTS) continue;
        // Whether it was written is unknown; with a key the client can ask again and find out.
        return { ok: false, failure: overload };
      }
      if (String(error).includes(NEWER_DATA)) return { ok: false, failure: newerData };
      throw error;
    } finally {
      if (timed !== null) timed.objectMs = Date.now() - startedAt + (timed.objectMs ?? 0);
    }
  }
}

const overload: Failure = { code: "overloaded", retryAfterMs: OVERLOAD_RETRY_MS };
const newerData: Failure = {
  code: "overloaded",
  retryAfterMs: NEWER_DATA_RETRY_MS,
  why: "newer_data",
};
