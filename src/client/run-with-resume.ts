/**
 * Automatic resumption: runs the work, reports to the server why it stopped, and does what the
 * server decides. Has no policy of its own; the signal ends every wait.
 */
import type { StopDecision } from "../domain/stops/stop";
import type { Clock } from "./clock";
import { TransportError, unwrap, WireError } from "./errors";
import type { OwnEvents } from "./events";
import type { Fields } from "./fields";
import type { CallOptions, StopInput } from "./inputs";
import { checkOptions } from "./known-options";
import type { Progress } from "./progress";
import { readHistory } from "./event-history";
import type { Session } from "./session";

/** The arguments of the work. */
export interface WorkContext<F extends object = Fields, E extends object = OwnEvents> {
  /** The session to work in: after a fork, the child. */
  readonly session: Session<F, E>;
  /** The number of the attempt, from 1; counts from 1 again in a new session. */
  readonly attempt: number;
  /** How to continue, as a prompt, if the work continues in a new session. */
  readonly prompt: string | null;
  /** The work continues after a stop. */
  readonly isResumed: boolean;
  /** Aborts the run. */
  readonly signal: AbortSignal | undefined;
}

/** The function that is run, and run again after a stop. */
export type Work<T, F extends object = Fields, E extends object = OwnEvents> = (
  context: WorkContext<F, E>,
) => Promise<T>;

/** Thrown by work that knows the reason of its stop. */
export class StopError extends Error {
  /** Always `StopError`. */
  override readonly name = "StopError";
  /** Why the work stops. */
  readonly stop: Omit<StopInput, "attempt">;

  constructor(stop: Omit<StopInput, "attempt">, cause?: unknown) {
    super(stop.evidence ?? stop.reason, { cause });
    this.stop = stop;
  }
}

/** Options of a run. */
export interface RunOptions<F extends object = Fields, E extends object = OwnEvents>
  extends CallOptions {
  /** Maps an error to the reason of the stop. Default: by status, code and name of the error. */
  readonly classify?: (error: unknown) => Omit<StopInput, "attempt">;
  /** Called with progress reports. */
  readonly onProgress?: (progress: Progress<F, E>) => void | Promise<void>;
  /** Replaces the plain wait until the time of the decision, for example by a countdown. */
  readonly wait?: (waitMs: number, signal: AbortSignal | undefined) => Promise<void>;
  /** While the session is paused: wait for the end of the pause (default), or give up. */
  readonly whilePaused?: "wait" | "stop";
  /** How often to check whether it is still paused. */
  readonly pausePollMs?: number;
  /** Where to start, for a caller that continues after its own crash with no wait left. */
  readonly from?: Pick<WorkContext, "attempt" | "prompt" | "isResumed">;
}

interface RunEnd<F extends object, E extends object> {
  /** The last attempt. */
  readonly attempt: number;
  /** The session that the run ended in: after a fork, the child. */
  readonly session: Session<F, E>;
}

/** How the run ended. */
export type RunOutcome<T, F extends object = Fields, E extends object = OwnEvents> =
  | (RunEnd<F, E> & {
      /** How the run ended. */
      readonly outcome: "success";
      /** The result of the work. */
      readonly value: T;
    })
  | (RunEnd<F, E> & {
      /** How the run ended. */
      readonly outcome: "failure" | "skipped";
      /** The last error of the work. */
      readonly error: unknown;
      /** The last reported stop. */
      readonly stop: StopInput;
      /** The server's decision on that stop. */
      readonly decision: StopDecision;
    });

const RUN_OPTIONS: readonly (keyof RunOptions)[] = [
  "classify",
  "onProgress",
  "wait",
  "whilePaused",
  "pausePollMs",
  "from",
  "signal",
];

const PAUSE_POLL_MS = 20_000;
/**
 * A fork's prompt is saved with the child, because an earlier process may have been killed before
 * it used it.
 */
const initialContext = ({
  saved,
}: Pick<Session, "saved">): Pick<WorkContext, "attempt" | "prompt" | "isResumed"> => ({
  attempt: 1,
  prompt: saved.prompt ?? null,
  isResumed: false,
});

export async function runWithResume<T, F extends object, E extends object>(
  initial: Session<F, E>,
  work: Work<T, F, E>,
  clock: Clock,
  options: RunOptions<F, E>,
): Promise<RunOutcome<T, F, E>> {
  checkOptions("runWithResume", options, RUN_OPTIONS, { whilePaused: ["wait", "stop"] });
  const { signal, onProgress, classify = classifyError, whilePaused = "wait" } = options;
  const wait = options.wait ?? ((ms: number) => clock.sleep(ms, signal));
  let { attempt, prompt, isResumed } = options.from ?? initialContext(initial);
  let decision = await findPendingDecision(initial, clock);
  for (let session = initial; ; ) {
    if (decision === null) {
      await onProgress?.({ kind: "started", attempt, session });
      const result = await work({ session, attempt, prompt, isResumed, signal }).then(
        (value) => ({ ok: true, value }) as const,
        (error: unknown) => ({ ok: false, error }) as const,
      );
      if (result.ok) {
        // A first attempt that succeeds was never stopped. After a resume, the report shows that
        // the resume did not fail, which the server's circuit breaker counts.
        if (isResumed) await reportStop(session, { reason: "completed", attempt });
        await onProgress?.({ kind: "success", attempt });
        return { outcome: "success", value: result.value, attempt, session };
      }
      const { error } = result;
      const why = isAborted(error, signal) ? ({ reason: "user_exit" } as const) : classify(error);
      const stop: StopInput = { ...why, attempt };
      await onProgress?.({ kind: "stopped", attempt, stop });
      decision = await reportStop(session, stop);
      while (decision.strategy === "none") {
        const isPaused = isResumable(stop) && (await session.get()).paused;
        if (!isPaused || whilePaused === "stop") {
          const outcome = isPaused ? "skipped" : "failure";
          await onProgress?.({ kind: outcome, attempt, why: decision.why });
          return { outcome, error, stop, decision, attempt, session };
        }
        await onProgress?.({ kind: "skipped", attempt, why: decision.why });
        try {
          await waitUntilUnpaused(session, options);
        } catch (waitError) {
          if (!isAborted(waitError, signal)) throw waitError;
          return await reportUserExit(session, attempt, waitError, options);
        }
        decision = await reportStop(session, stop);
      }
      if (decision.strategy === "new_session") {
        const forked = unwrap(await session.fork({ reason: stop.reason, succeed: true }));
        ({ child: session, prompt } = forked);
        [attempt, isResumed, decision] = [1, false, null];
        await onProgress?.({ kind: "forked", session, prompt: forked.prompt });
        continue;
      }
    }
    const { waitMs, resumeAt, why } = decision;
    attempt = decision.attempt ?? attempt + 1;
    await onProgress?.({ kind: "delayed", attempt, waitMs, resumeAt, why });
    try {
      await wait(waitMs, signal);
      await resumeWhenAllowed(session, attempt, options);
    } catch (error) {
      if (!isAborted(error, signal)) throw error;
      return await reportUserExit(session, attempt, error, options);
    }
    [isResumed, decision] = [true, null];
  }
}

const HISTORY_EVENTS = ["stop.reported", "token.accessed"] as const;

/**
 * A wait that an earlier process did not finish: the last stop was answered with a delay, and no
 * automatic resume has followed. Returns the decision with the remaining time.
 */
async function findPendingDecision<F extends object, E extends object>(
  session: Session<F, E>,
  clock: Clock,
): Promise<StopDecision | null> {
  const { events } = await readHistory(session, HISTORY_EVENTS);
  const last = events.findLast(({ type, payload }) => type === "stop.reported" || payload["auto"]);
  if (last?.type !== "stop.reported") return null;
  const decision = last.payload["decision"] as unknown as StopDecision;
  if (decision.strategy !== "same_session") return null;
  const leftMs = Date.parse(decision.resumeAt ?? "") - clock.now();
  return { ...decision, waitMs: Math.max(0, Math.min(decision.waitMs, leftMs)) };
}

/** The user ended the wait, which is reported like any other stop. */
async function reportUserExit<T, F extends object, E extends object>(
  session: Session<F, E>,
  attempt: number,
  error: unknown,
  { onProgress }: RunOptions<F, E>,
): Promise<RunOutcome<T, F, E>> {
  const stop: StopInput = { reason: "user_exit", attempt };
  await onProgress?.({ kind: "stopped", attempt, stop });
  const decision = await reportStop(session, stop);
  await onProgress?.({ kind: "failure", attempt, why: decision.why });
  return { outcome: "failure", error, stop, decision, attempt, session };
}

/** Without the signal, because the end of the work must be reported too. */
const reportStop = async (
  session: Pick<Session, "report">,
  stop: StopInput,
): Promise<StopDecision> => (await session.report(stop)).decision;

const isResumable = ({ reason }: StopInput): boolean =>
  reason !== "user_exit" && reason !== "completed" && reason !== "unknown";

/** A pause that started during the wait delays the resume, not the wait. */
async function resumeWhenAllowed<F extends object, E extends object>(
  session: Session<F, E>,
  attempt: number,
  options: RunOptions<F, E>,
): Promise<void> {
  const { signal, onProgress } = options;
  for (;;) {
    try {
      await session.resume({ auto: true }, { signal });
      return;
    } catch (error) {
      if (!(error instanceof WireError && error.code === "paused")) throw error;
      await onProgress?.({ kind: "skipped", attempt, why: "the session is paused" });
      await waitUntilUnpaused(session, options);
    }
  }
}

/** Waits for the event, and polls in case it is missed. */
async function waitUntilUnpaused<F extends object, E extends object>(
  session: Session<F, E>,
  { signal, pausePollMs = PAUSE_POLL_MS }: RunOptions<F, E>,
): Promise<void> {
  const waitMs = Math.min(pausePollMs, 60_000);
  for (;;) {
    const { paused, head } = await session.get({ signal });
    if (!paused) return;
    await session.page({ after: head, types: ["session.unpaused"], waitMs, signal });
  }
}

const isAborted = (error: unknown, signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true || (error instanceof Error && error.name === "AbortError");

interface ErrorLike {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly status?: unknown;
  readonly code?: unknown;
  readonly headers?: { get?(name: string): string | null };
}

/**
 * Classifies an error by the members that errors of HTTP clients have. Anything else is a crash.
 */
export function classifyError(error: unknown): Omit<StopInput, "attempt"> {
  if (error instanceof StopError) return error.stop;
  const { name, message, status, code, headers } = (error ?? {}) as ErrorLike;
  const evidence = `${String(name ?? "error")}: ${String(message ?? "")}`.slice(0, 500);
  const retryAfter = headers?.get?.("retry-after") ?? undefined;
  if (status === 429 || status === 529) {
    return { reason: "rate_limit", evidence, ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
  if (code === "context_length_exceeded" || status === 413) {
    return { reason: "context_exhausted", evidence };
  }
  if (name === "TimeoutError" || status === 408 || status === 504) {
    return { reason: "timeout", evidence };
  }
  const isNetwork =
    error instanceof TransportError ||
    (error instanceof TypeError && /fetch|network/i.test(evidence)) ||
    (typeof code === "string" && /^(E[A-Z]+|UND_ERR_\w+)$/.test(code));
  return { reason: isNetwork ? "network" : "crash", evidence };
}
