/** The result of a pending request that was finished, without the secrets of its response. */
import type { Problem } from "./errors";
import type { WireAnswer } from "./transport";

/**
 * A finished request with its whole response, which may contain a valid token. Never shown to
 * callers.
 */
export interface SettledRequest {
  readonly operation: string;
  readonly isDone: boolean;
  readonly answer: WireAnswer;
}

/** The result of a request that an earlier process or a failed call had left pending. */
export interface Settled {
  /** The operation, such as `setFields`. */
  readonly operation: string;
  /** True: it was done. False: the server refused it, and `problem` has the reason. */
  readonly isDone: boolean;
  /** The HTTP status. */
  readonly status: number;
  /** The request had already been done, and its response was replayed. */
  readonly isReplayed: boolean;
  /** Why it was refused; null if it was not. */
  readonly problem: Problem | null;
}

export const withoutSecrets = (settlement: SettledRequest | null): Settled | null => {
  if (settlement === null) return null;
  const { operation, isDone, answer } = settlement;
  const { status, isReplayed, body } = answer;
  return { operation, isDone, status, isReplayed, problem: isDone ? null : (body as Problem) };
};
