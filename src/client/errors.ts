/**
 * Two families of errors, and a third for waiting: what the server said, what the way to it did, and
 * what another process holds. Conflicts are values, not errors.
 */
import type { LogEvent } from "../domain/log/event";
import type { FailureCode } from "../domain/failure";
import type { State } from "../domain/session/state";
import type { SessionView } from "../domain/session/view";
import type { Fields, Shown } from "./fields";
import type { Validation } from "./outputs";

/** A refusal as it stands on the wire: application/problem+json with what the case needs. */
export interface Problem {
  /** An address that explains the code. */
  readonly type: string;
  /** The code in words. */
  readonly title: string;
  /** The status of the answer. */
  readonly status: number;
  /** What is wrong in this case. */
  readonly detail: string;
  /** What programs tell problems apart by. */
  readonly code: FailureCode;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** What can be done now. */
  readonly nextActions: readonly string[];
  /** The session, where one may know it. */
  readonly sessionId?: string;
  /** The session as it is now, where somebody else moved it on. */
  readonly current?: SessionView;
  /** Events that the caller has not seen, the first 100. */
  readonly missed?: readonly LogEvent[];
  /** There are more missed events. */
  readonly more?: boolean;
  /** What is wrong with which field. */
  readonly errors?: Validation["errors"];
  /** Where in the body or the schema it is. */
  readonly at?: string;
  /** The state that does not allow it. */
  readonly from?: string;
  /** The operation that was refused. */
  readonly operation?: string;
  /** What is allowed instead, or how much. */
  readonly allowed?: readonly string[] | number;
  /** The quota that is used up. */
  readonly quota?: string;
  /** How much of it is used. */
  readonly used?: number;
  /** The scope or right that is missing. */
  readonly needed?: string;
  /** When it ended, ISO 8601. */
  readonly expiresAt?: string;
  /** The limit that was passed. */
  readonly limit?: number;
  /** When to try again. */
  readonly retryAfterMs?: number;
  /** The setting of the server that is missing. */
  readonly setting?: string;
  /** The first seq that the log still has. */
  readonly floor?: number;
  /** The checkpoint that stands for what was trimmed. */
  readonly checkpoint?: { readonly id: string; readonly name: string; readonly seq: number };
}

/** The server answered, and the answer was no. Nothing was changed. */
export class WireError extends Error {
  /** `WireError`, or `SessionEndedError`. */
  override readonly name: string = "WireError";
  /** What programs tell problems apart by. */
  readonly code: FailureCode;
  /** The status of the answer. */
  readonly status: number;
  /** The whole answer. */
  readonly problem: Problem;

  constructor(problem: Problem, url?: string) {
    super(`${problem.title}: ${problem.detail}${describeLocation(problem, url)}`);
    this.code = problem.code;
    this.status = problem.status;
    this.problem = problem;
  }
}

/** Where it is wrong: the first field, or the address where that may be what is wrong. */
function describeLocation(
  { code, errors: [first] = [] }: Problem,
  url: string | undefined,
): string {
  if (first !== undefined) return ` The first is ${first.field}: ${first.message}`;
  const isAstray = code === "not_found" || code === "method_not_allowed";
  return isAstray && url !== undefined ? ` The server is ${url}.` : "";
}

/**
 * The session is over, so that nothing more can be done with it: it was finalized, rejected or
 * cancelled (`problem.from` says which), it expired, or it was deleted. An access that has expired
 * counts as well. `open` with `onEnded: "fresh"` begins a new session instead.
 */
export class SessionEndedError extends WireError {
  /** Always `SessionEndedError`. */
  override readonly name = "SessionEndedError";
}

const ENDED_STATES: ReadonlySet<string | undefined> = new Set<State>([
  "finalized",
  "rejected",
  "cancelled",
  "expired",
]);

/** Whether a session in this state can never be worked on again. */
export const isEndedState = (state: string | undefined): boolean => ENDED_STATES.has(state);

/** The error for a refusal. */
export function errorFromProblem(problem: Problem, url?: string): WireError {
  const { code, from, sessionId } = problem;
  const isEnded =
    code === "illegal_transition"
      ? isEndedState(from)
      : // A template can be gone too; that refusal is of no session.
        code === "expired" || (code === "gone" && sessionId !== undefined);
  return isEnded ? new SessionEndedError(problem) : new WireError(problem, url);
}

/**
 * No usable answer came, after all attempts. Where `isPending` is true the request may or may not
 * have been done; it is kept, and the same call again (or `settle()`) finds out without doing it twice.
 */
export class TransportError extends Error {
  /** Always `TransportError`. */
  override readonly name = "TransportError";
  /** How often it was tried. */
  readonly attempts: number;
  /** The request may have been done; it is kept, and the same call finds out. */
  readonly isPending: boolean;

  constructor(message: string, attempts: number, isPending: boolean, cause?: unknown) {
    super(message, { cause });
    this.attempts = attempts;
    this.isPending = isPending;
  }
}

/** Somebody else works on the same saved session and did not finish in time. */
export class StoreBusyError extends Error {
  /** Always `StoreBusyError`. */
  override readonly name = "StoreBusyError";
}

/** There is nothing saved under this name, or it cannot be read. */
export class StoreError extends Error {
  /** Always `StoreError`. */
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
  /** Always `ConflictError`. */
  override readonly name = "ConflictError";
  /** What the session is now, and what was missed. */
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
export async function catchConflict<T extends object>(
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
