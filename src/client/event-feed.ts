/**
 * Follows the log as one gapless iteration over many connections. Each event is returned once, in
 * order; events that a broken connection repeated are recognized by their seq.
 */
import type { LogEvent } from "../domain/log/event";
import { TransportError, errorFromProblem, type Problem } from "./errors";
import type { CallOptions } from "./inputs";
import { unpackEvent } from "./large-content";
import type { TokenLine } from "./token-line";
import { sseSteps, socketSteps, type Step } from "./live-source";
import { RETRYABLE_CODES } from "./transport";
import { backoffMs } from "../domain/backoff";

/** How to follow the log. */
export interface FollowOptions<T extends string = string> extends CallOptions {
  /** Events after this seq. Default: after the cursor that the server stores. */
  readonly after?: number | undefined;
  /** Only events of these types; `job.*` is a whole namespace. */
  readonly types?: readonly T[];
  /** The transport. Default: server-sent events. */
  readonly transport?: "sse" | "websocket";
  /** End after the replay instead of following live. */
  readonly untilReplayed?: boolean;
  /**
   * How long to go on without a connection, counted from the first failure. Default:
   * `retry.outageMs` of `Baton.connect`, which is 15 minutes. `Infinity` goes on until the signal
   * aborts. With `untilReplayed` there is no waiting, and `retry.attempts` applies.
   */
  readonly outageMs?: number | undefined;
  /** Called once all existing events have been returned. */
  readonly onReplayed?: (head: number) => void;
}

export async function* followEvents(
  tokenLine: TokenLine,
  options: FollowOptions,
): AsyncGenerator<LogEvent, void, undefined> {
  const { types = [], transport = "sse", untilReplayed = false, onReplayed, signal } = options;
  const { clock, random, retry } = tokenLine.config;
  const { outageMs = retry.outageMs } = options;
  const open = transport === "sse" ? sseSteps : socketSteps;
  let after = options.after ?? null;
  let isAnnounced = false;
  let failedAt: number | null = null;
  for (let failures = 0; ; ) {
    signal?.throwIfAborted();
    const { token } = tokenLine;
    let waitMs: number | null = null;
    for await (const step of open(tokenLine, { token, after, types, signal })) {
      if (step.kind === "refused" || step.kind === "end") {
        const next = await handleStreamEnd(tokenLine, token, step, signal);
        if (next === "over") return;
        waitMs = next;
        break;
      }
      failures = 0;
      failedAt = null;
      if (step.kind === "seen") {
        after = Math.max(after ?? 0, step.seq);
        if (!isAnnounced) onReplayed?.(step.seq);
        isAnnounced = true;
        if (untilReplayed) return;
      } else if (step.event.seq > (after ?? 0)) {
        after = step.event.seq;
        yield await unpackEvent(tokenLine, step.event, signal);
      }
    }
    failures += 1;
    failedAt ??= clock.now();
    const isTooLong = untilReplayed
      ? failures >= retry.attempts
      : clock.now() - failedAt >= outageMs;
    if (isTooLong) throw new TransportError("The event stream cannot be reached.", failures, false);
    await clock.sleep(waitMs ?? backoffMs(retry, failures, random()), signal);
  }
}

/**
 * Returns "over", or how long to wait before reconnecting (null: the usual backoff). Throws if a
 * retry cannot help.
 */
async function handleStreamEnd(
  tokenLine: TokenLine,
  token: string,
  step: Extract<Step, { kind: "refused" | "end" }>,
  signal: AbortSignal | undefined,
): Promise<"over" | number | null> {
  if (step.kind === "end" && step.reason === "ended") return "over";
  const problem =
    step.kind === "refused" ? step.problem : problemOfEnd(step.reason, tokenLine.saved.sessionId);
  if (RETRYABLE_CODES.has(problem.code)) return problem.retryAfterMs ?? null;
  if (problem.code === "token_superseded") {
    // This participant resumed, here or in another process that shares the store. Continue with its
    // token, which may still be on its way.
    await tokenLine.catchUp(signal);
    if (tokenLine.token !== token) return 0;
  }
  throw errorFromProblem(problem);
}

const END_PROBLEMS: Readonly<Record<string, Pick<Problem, "code" | "status" | "title">>> = {
  superseded: { code: "token_superseded", status: 409, title: "The participant resumed elsewhere" },
  revoked: { code: "token_invalid", status: 403, title: "The participant was revoked" },
  expired: { code: "expired", status: 410, title: "The session or this access expired" },
  gone: { code: "gone", status: 410, title: "The session was deleted permanently" },
};

function problemOfEnd(reason: string, sessionId: string | null): Problem {
  const known = END_PROBLEMS[reason] ?? {
    code: "internal",
    status: 500,
    title: "The stream ended",
  };
  return {
    ...known,
    type: `/docs/errors#${known.code}`,
    detail: "The server ended the event stream.",
    retryable: known.code === "internal",
    nextActions: [],
    ...(sessionId === null ? {} : { sessionId }),
  };
}
