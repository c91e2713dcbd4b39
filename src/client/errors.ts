/**
 * Three kinds of errors: the server refused, the server could not be reached, or another process
 * holds the saved session. Conflicts are values, not errors.
 */
import type { Actor } from "../domain/participants/actor";
import type { LogEvent } from "../domain/log/event";
import type { FailureCode } from "../domain/failure";
import type { State } from "../domain/session/state";
import type { SessionView } from "../domain/session/view";
import type { Fields, FieldsView } from "./fields";
import type { Validation } from "./outputs";

/**
 * A refusal as it is on the wire: application/problem+json, with members that depend on the code.
 */
export interface Problem {
  /** An address that explains the code. */
  readonly type: string;
  /** The code as text. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** What is wrong in this case. */
  readonly detail: string;
  /** Identifies the kind of problem for programs. */
  readonly code: FailureCode;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** What can be done now. */
  readonly nextActions: readonly string[];
  /** The session, if the caller may know it. */
  readonly sessionId?: string;
  /** The session as it is now, if it was changed meanwhile. */
  readonly current?: SessionView;
  /** The first 100 events that the caller has not seen. */
  readonly missed?: readonly LogEvent[];
  /** There are more missed events. */
  readonly more?: boolean;
  /** The invalid fields, with messages. */
  readonly errors?: Validation["errors"];
  /** The position of the error in the body or the schema. */
  readonly at?: string;
  /** The state that does not allow the operation. */
  readonly from?: string;
  /** The operation that was refused. */
  readonly operation?: string;
  /** What is allowed instead, or the allowed amount. */
  readonly allowed?: readonly string[] | number;
  /** The exceeded quota. */
  readonly quota?: string;
  /** How much of the quota is used. */
  readonly used?: number;
  /** The missing scope or right. */
  readonly needed?: string;
  /** When it expired, ISO 8601. */
  readonly expiresAt?: string;
  /** The exceeded limit. */
  readonly limit?: number;
  /** How long to wait before a retry. */
  readonly retryAfterMs?: number;
  /** Who holds the lease. */
  readonly holder?: { readonly participant: string; readonly actor: Actor };
  /** The missing setting of the server. */
  readonly setting?: string;
  /** The first seq that is still in the log. */
  readonly floor?: number;
  /** The checkpoint that replaces the trimmed events. */
  readonly checkpoint?: { readonly id: string; readonly name: string; readonly seq: number };
}

/** The server refused the request. Nothing was changed. */
export class WireError extends Error {
  /** `WireError`, or `SessionEndedError`. */
  override readonly name: string = "WireError";
  /** Identifies the kind of problem for programs. */
  readonly code: FailureCode;
  /** The HTTP status. */
  readonly status: number;
  /** The whole problem document. */
  readonly problem: Problem;

  constructor(problem: Problem, url?: string) {
    super(`${problem.title}: ${problem.detail}${describeLocation(problem, url)}`);
    this.code = problem.code;
    this.status = problem.status;
    this.problem = problem;
  }
}

/** Adds the first invalid field, or the server's address if that may be wrong. */
function describeLocation(
  { code, errors: [first] = [] }: Problem,
  url: string | undefined,
): string {
  if (first !== undefined) return ` The first is ${first.field}: ${first.message}`;
  const mayBeWrongAddress = code === "not_found" || code === "method_not_allowed";
  return mayBeWrongAddress && url !== undefined ? ` The server is ${url}.` : "";
}

/**
 * The session has ended, so that nothing more can be done with it: it was finalized, rejected or
 * cancelled (`problem.from` has the state), it expired, or it was deleted. This error is also
 * thrown if only the access has expired. `open` with `onEnded: "fresh"` creates a new session
 * instead.
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

/** Whether a session in this state has ended for good. */
export const isEndedState = (state: string | undefined): boolean => ENDED_STATES.has(state);

/** The error for a problem that the server returned. */
export function errorFromProblem(problem: Problem, url?: string): WireError {
  const { code, from, sessionId } = problem;
  const isEnded =
    code === "illegal_transition"
      ? isEndedState(from)
      : // A template can be gone too; such a problem names no session.
        code === "expired" || (code === "gone" && sessionId !== undefined);
  return isEnded ? new SessionEndedError(problem) : new WireError(problem, url);
}

/**
 * There was no usable response after all attempts. If `isPending` is true, the request may have
 * been done; it is saved, and repeating the call (or `settle()`) finds out without doing it twice.
 */
export class TransportError extends Error {
  /** Always `TransportError`. */
  override readonly name = "TransportError";
  /** The number of attempts. */
  readonly attempts: number;
  /** The request may have been done. It is saved, and repeating the call finds out. */
  readonly isPending: boolean;

  constructor(message: string, attempts: number, isPending: boolean, cause?: unknown) {
    super(message, { cause });
    this.attempts = attempts;
    this.isPending = isPending;
  }
}

/** The lease under which the work ran has ended: somebody else may be doing the work. */
export class LeaseLostError extends Error {
  /** Always `LeaseLostError`. */
  override readonly name = "LeaseLostError";
  /** The name of the lease. */
  readonly lease: string;

  constructor(lease: string) {
    super(`The lease "${lease}" is lost: somebody else may be doing this work.`);
    this.lease = lease;
  }
}

/**
 * An effect that happens once was begun, and its end was not recorded: nobody knows whether it
 * happened. Ask the receiver, by the key.
 */
export class UnknownOutcomeError extends Error {
  /** Always `UnknownOutcomeError`. */
  override readonly name = "UnknownOutcomeError";
  /** The key of the effect. */
  readonly key: string;

  constructor(key: string) {
    super(`It is not known whether "${key}" has happened. Ask its receiver, or retry it.`);
    this.key = key;
  }
}

/** Another process works on the same saved session and did not finish in time. */
export class StoreBusyError extends Error {
  /** Always `StoreBusyError`. */
  override readonly name = "StoreBusyError";
}

/** Nothing is saved under this name, or it cannot be read. */
export class StoreError extends Error {
  /** Always `StoreError`. */
  override readonly name = "StoreError";
}

/**
 * Another writer changed the session. Has the current session and the missed events. Nothing was
 * written.
 */
export interface Conflict<F extends object = Fields> {
  /** Which was outdated: the token's version, or the `ifMatch` of the call. */
  readonly code: "version_conflict" | "precondition_failed";
  /** The session as it is now. */
  readonly current: SessionView<FieldsView<F>>;
  /** The first 100 events that the caller has not seen. */
  readonly missed: readonly LogEvent[];
  /** There are more missed events than shown. */
  readonly more: boolean;
}

/** The result of a write: the session after it, or the conflict that prevented it. */
export type WriteResult<F extends object = Fields, T extends object = object> =
  | ({
      /** It was written. */
      readonly ok: true;
      /** The session after the write. */
      readonly session: SessionView<FieldsView<F>>;
    } & T)
  | {
      /** Nothing was written. */
      readonly ok: false;
      /** The current session and the missed events. */
      readonly conflict: Conflict<F>;
    };

/** For callers that treat a conflict as an error. */
export class ConflictError extends Error {
  /** Always `ConflictError`. */
  override readonly name = "ConflictError";
  /** The current session and the missed events. */
  readonly conflict: Conflict;

  constructor(conflict: Conflict) {
    super(`The session moved on to version ${conflict.current.version}. Nothing was changed.`);
    this.conflict = conflict;
  }
}

/**
 * The result of a write; a conflict is thrown as a `ConflictError`. A null result of `update`,
 * which means that there was nothing to do, stays null.
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

/** Returns a conflict as a value; any other refusal is thrown. */
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
