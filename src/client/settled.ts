/** What became of a request that was left open, without the secrets of its answer. */
import type { Problem } from "./errors";
import type { WireAnswer } from "./transport";

/** A finished request with its whole answer, which may hold a live token: never shown to callers. */
export interface SettledRequest {
  readonly operation: string;
  readonly isDone: boolean;
  readonly answer: WireAnswer;
}

/** What became of a request that an earlier process, or a failed call, had left open. */
export interface Settled {
  /** The operation, such as `setFields`. */
  readonly operation: string;
  /** True: it is written. False: the server refused it, and `problem` says why. */
  readonly isDone: boolean;
  /** The status of the answer. */
  readonly status: number;
  /** The request had been done before, and this was its answer again. */
  readonly isReplayed: boolean;
  /** Why it was refused; null where it was not. */
  readonly problem: Problem | null;
}

export const withoutSecrets = (settlement: SettledRequest | null): Settled | null => {
  if (settlement === null) return null;
  const { operation, isDone, answer } = settlement;
  const { status, isReplayed, body } = answer;
  return { operation, isDone, status, isReplayed, problem: isDone ? null : (body as Problem) };
};
