/**
 * Two families of errors, and a third for waiting: what the server said, what the way to it did, and
 * what another process holds. Conflicts are values, not errors.
 */
import type { LogEvent } from "../domain/log/event";
import type { FailureCode } from "../domain/failure";
import type { SessionView } from "../domain/session/view";
import type { Fields, Shown } from "./fields";

/** A refusal as it stands on the wire: application/problem+json with what the case needs. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: FailureCode;
  readonly retryable: boolean;
  readonly nextActions: readonly string[];
  readonly sessionId?: string;
  readonly current?: SessionView;
  readonly missed?: readonly LogEvent[];
  readonly more?: boolean;
  readonly errors?: readonly {
    readonly field: string;
    readonly problem: "missing" | "invalid";
    readonly message: string;
  }[];
  readonly at?: string;
  readonly from?: string;
  readonly operation?: string;
  readonly allowed?: readonly string[] | number;
  readonly quota?: string;
  readonly used?: number;
  readonly needed?: string;
  readonly expiresAt?: string;
  readonly limit?: number;
  readonly retryAfterMs?: number;
  /** The setting of the server that is missing. */
  readonly setting?: string;
  readonly floor?: number;
  readonly checkpoint?: { readonly id: string; readonly name: string; readonly seq: number };
}

/** The server answered, and the answer was no. Nothing was changed. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly code: FailureCode;
  readonly status: number;
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.title}: ${problem.detail}`);
    this.code = problem.code;
    this.status = problem.status;
    this.problem = problem;
  }
}

/**
 * No usable answer came, after all attempts. Where `isPending` is true the request may or may not
 * have been done; it is kept, and the same call again (or `settle()`) finds out without doing it twice.
 */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly attempts: number;
  readonly isPending: boolean;

  constructor(message: string, attempts: number, isPending: boolean, cause?: unknown) {
    super(message, { cause });
    this.attempts = attempts;
    this.isPending = isPending;
  }
}

/** Somebody else works on the same saved session and did not finish in time. */
export class StoreBusyError extends Error {
  override readonly name = "StoreBusyError";
}

/** There is nothing saved under this name, or it cannot be read. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** Somebody else moved the session on: what it is now, and what was missed. Nothing was written. */
export interface Conflict<F extends object = Fields> {
  /** Whether the token's version or the `ifMatch` of the call was behind. */
  readonly code: "version_conflict" | "precondition_failed";
  /** The session as it is now. */
  readonly current: SessionView<Shown<F>>;
  /** The events that the caller has not seen, the first 100 of them. */
  readonly missed: readonly LogEvent[];
  /** There are more missed events than shown. */
  readonly more: boolean;
}

/** What a write gave: the session after it, or the conflict that kept it from being written. */
export type WriteResult<F extends object = Fields, T extends object = object> =
  | ({
      /** It was written. */
      readonly ok: true;
      /** The session after the write. */
      readonly session: SessionView<Shown<F>>;
    } & T)
  | {
      /** Nothing was written. */
      readonly ok: false;
      /** What the session is now, and what was missed. */
      readonly conflict: Conflict<F>;
    };

/** For callers to whom a conflict is an error after all. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
  readonly conflict: Conflict;

  constructor(conflict: Conflict) {
    super(`The session moved on to version ${conflict.current.version}. Nothing was changed.`);
    this.conflict = conflict;
  }
}

/**
 * The result of a write without its conflict, which is thrown as a `ConflictError`. What `update` gives
 * where there was nothing to do stays null.
 *
 * @example
 * ```ts
 * const { session: after } = unwrap(await session.setFields({ step: 2 }));
 * console.log(after.version);
 * ```
 */
export function unwrap<T extends { readonly ok: boolean } | null>(
  result: T,
): Extract<T, { readonly ok: true } | null> {
  if (result === null || result.ok) return result as Extract<T, { readonly ok: true } | null>;
  throw new ConflictError((result as unknown as { conflict: Conflict }).conflict);
}

function conflictOf(problem: Problem): Conflict | null {
  const { code, current, missed = [], more = false } = problem;
  const isConflict = code === "version_conflict" || code === "precondition_failed";
  return isConflict && current !== undefined ? { code, current, missed, more } : null;
}

/** A refused write that is a conflict is told as a value. */
export async function orConflict<T extends object>(
  attempt: Promise<T>,
): Promise<T | { readonly ok: false; readonly conflict: Conflict }> {
  try {
    return await attempt;
  } catch (error) {
    const conflict = error instanceof WireError ? conflictOf(error.problem) : null;
    if (conflict === null) throw error;
    return { ok: false, conflict };
  }
}
