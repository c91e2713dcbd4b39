/**
 * Automatic resumption: run the work, tell the server why it stopped, and do what the server decides.
 * Knows no policy of its own; waits end with the signal.
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

/** What the work is given. */
export interface WorkContext<F extends object = Fields, E extends object = OwnEvents> {
  /** The session to work in: after a fork, the child. */
  readonly session: Session<F, E>;
  /** From 1; starts again in a new session. */
  readonly attempt: number;
  /** How the work goes on, where it goes on in a new session. */
  readonly prompt: string | null;
  /** It goes on after a stop. */
  readonly isResumed: boolean;
  /** Ends the run. */
  readonly signal: AbortSignal | undefined;
}

/** What is run, and run again after a stop. */
export type Work<T, F extends object = Fields, E extends object = OwnEvents> = (
  context: WorkContext<F, E>,
) => Promise<T>;

/** Thrown by work that knows why it stops. */
export class StopError extends Error {
  /** Always `StopError`. */
  override readonly name = "StopError";
  /** Why it stops. */
  readonly stop: Omit<StopInput, "attempt">;

  constructor(stop: Omit<StopInput, "attempt">, cause?: unknown) {
    super(stop.evidence ?? stop.reason, { cause });
    this.stop = stop;
  }
}

/** How the run goes. */
export interface RunOptions<F extends object = Fields, E extends object = OwnEvents>
  extends CallOptions {
  /** From what was thrown to why; absent: by status, code and name of the error. */
  readonly classify?: (error: unknown) => Omit<StopInput, "attempt">;
  /** Told what is going on, as it happens. */
  readonly onProgress?: (progress: Progress<F, E>) => void | Promise<void>;
  /** Instead of the plain wait for the time of the decision: a countdown, say. */
  readonly wait?: (waitMs: number, signal: AbortSignal | undefined) => Promise<void>;
  /** While the session is paused: wait until it is not (default), or give up. */
  readonly whilePaused?: "wait" | "stop";
  /** How often to look whether it is still paused. */
  readonly pausePollMs?: number;
  /** Where to begin, for one who goes on after a crash of its own and no wait is left. */
  readonly from?: Pick<WorkContext, "attempt" | "prompt" | "isResumed">;
}

interface RunEnd<F extends object, E extends object> {
  /** The last attempt. */
  readonly attempt: number;
  /** The session it ended in: after a fork, the child. */
  readonly session: Session<F, E>;
}

/** How the run ended. */
export type RunOutcome<T, F extends object = Fields, E extends object = OwnEvents> =
  | (RunEnd<F, E> & {
      /** How it ended. */
      readonly outcome: "success";
      /** What the work gave. */
      readonly value: T;
    })
  | (RunEnd<F, E> & {
      /** How it ended. */
      readonly outcome: "failure" | "skipped";
      /** What the work threw last. */
      readonly error: unknown;
      /** Why it stopped last. */
      readonly stop: StopInput;
      /** What the server decided then. */
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
/** A fork's prompt is saved with the child: an earlier process may not have lived to use it. */
const initialContext = ({
  saved,
}: Pick<Session, "saved">): Pick<WorkContext, "attempt" | "prompt" | "isResumed"> => ({
  attempt: 1,
  prompt: saved.prompt ?? null,
  isResumed: false,
});

export async function runWithResume<T, F extends object, E extends object>(
  first: Session<F, E>,
  work: Work<T, F, E>,
  clock: Clock,
  options: RunOptions<F, E>,
): Promise<RunOutcome<T, F, E>> {
  checkOptions("runWithResume", options, RUN_OPTIONS, { whilePaused: ["wait", "stop"] });
  const { signal, onProgress, classify = classifyError, whilePaused = "wait" } = options;
  const wait = options.wait ?? ((ms: number) => clock.sleep(ms, signal));
  let { attempt, prompt, isResumed } = options.from ?? initialContext(first);
  let decision = await findPendingDecision(first, clock);
  for (let session = first; ; ) {
    if (decision === null) {
      await onProgress?.({ kind: "started", attempt, session });
      const result = await work({ session, attempt, prompt, isResumed, signal }).then(
        (value) => ({ ok: true, value }) as const,
        (error: unknown) => ({ ok: false, error }) as const,
      );
      if (result.ok) {
        // A first attempt that succeeds was never stopped. After a resume it shows that the resume did not
        // fail, which the server's breaker counts.
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
        const isHeld = isResumable(stop) && (await session.get()).paused;
        if (!isHeld || whilePaused === "stop") {
          const outcome = isHeld ? "skipped" : "failure";
          await onProgress?.({ kind: outcome, attempt, why: decision.why });
          return { outcome, error, stop, decision, attempt, session };
        }
        await onProgress?.({ kind: "skipped", attempt, why: decision.why });
        try {
          await waitUntilUnpaused(session, options);
        } catch (thrown) {
          if (!isAborted(thrown, signal)) throw thrown;
          return await reportUserExit(session, attempt, thrown, options);
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
 * A wait that an earlier process was told and did not live to end: the last stop put it off, and no
 * resume of a machine has followed. With what is left of the time.
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

/** Somebody ended the wait: that is told like any other end. */
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

/** Without the signal: that the work was ended is to be told, too. */
const reportStop = async (
  session: Pick<Session, "report">,
  stop: StopInput,
): Promise<StopDecision> => (await session.report(stop)).decision;

const isResumable = ({ reason }: StopInput): boolean =>
  reason !== "user_exit" && reason !== "completed" && reason !== "unknown";

/** A pause that came during the wait holds the resume back, not the wait. */
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

/** Waits for the news of it, and looks again even if none comes. */
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

/** By what errors of HTTP clients carry. What it cannot tell is a crash. */
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
