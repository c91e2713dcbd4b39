/**
 * What one commit adds to the counters that a self-hosted server shows at /metrics. Labels are the
 * server's own words: never an id, and never text from a client.
 */
import type { Commit } from "../domain/log/commit";
import type { LogEvent } from "../domain/log/event";
import { isReissued, isOwnJob } from "./data-point";
import type { SessionId } from "../domain/ids";
import type { Json } from "../domain/json";
import type { StopReason } from "../domain/stops/policy";

export interface CounterIncrement {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly amount: number;
}

/** An estimate, and named as one: how long a stopped agent would stay unnoticed. */
const NOTICED_AFTER_SECONDS = 600;

/** Used instead of a stop's reason if none was reported since the last resume. */
const NO_STOP = "none";

const increment = (
  name: string,
  labels: CounterIncrement["labels"] = {},
  amount = 1,
): CounterIncrement => ({
  name,
  labels,
  amount,
});

export function countersOf(
  { events, from, stopped, session }: Pick<Commit, "events" | "from" | "stopped" | "session">,
  sessionId: SessionId,
): readonly CounterIncrement[] {
  const increments = events.flatMap((event) => countersOfEvent(event, sessionId, stopped));
  if (from === undefined || from === session.state) return increments;
  return [
    ...increments,
    ...(from === null ? [] : [increment("baton_sessions_left_total", { state: from })]),
    increment("baton_sessions_entered_total", { state: session.state }),
  ];
}

function countersOfEvent(
  { type, payload }: LogEvent,
  sessionId: SessionId,
  stopped: StopReason | undefined,
): readonly CounterIncrement[] {
  switch (type) {
    case "token.accessed":
      return payload["by"] === "resume"
        ? resumed(payload["auto"] === true, stopped ?? NO_STOP)
        : [];
    case "stop.reported":
      return reported(String(payload["reason"]), payload["decision"]);
    case "session.forked":
      return [increment("baton_forks_total")];
    case "handoff.created":
      return isReissued(payload)
        ? []
        : [
            increment("baton_handoffs_total", {
              to: payload["to"] === "human" ? "human" : "agent",
            }),
          ];
    case "handoff.opened":
      return [increment("baton_handoffs_opened_total")];
    default: {
      const event = JOB_EVENTS.get(type);
      // A session that watches another's job has copies of its events; they are counted there.
      return event !== undefined && isOwnJob(payload["jobId"], sessionId)
        ? [increment("baton_jobs_total", { event })]
        : [];
    }
  }
}

const JOB_EVENTS: ReadonlyMap<string, string> = new Map([
  ["job.submitted", "submitted"],
  ["job.started", "started"],
  ["job.requeued", "requeued"],
  ["job.result", "succeeded"],
  ["job.error", "failed"],
]);

const resumed = (
  isAutomatic: boolean,
  reason: StopReason | typeof NO_STOP,
): readonly CounterIncrement[] =>
  isAutomatic
    ? [
        increment("baton_resumes_total", { by: "automation", reason }),
        increment("baton_saved_estimate_seconds_total", {}, NOTICED_AFTER_SECONDS),
      ]
    : [increment("baton_resumes_total", { by: "request", reason })];

function reported(reason: string, decision: Json | undefined): readonly CounterIncrement[] {
  const { strategy, waitMs } = (decision ?? {}) as Readonly<Record<string, Json>>;
  const stops = increment("baton_stops_total", { reason, strategy: String(strategy) });
  if (typeof waitMs !== "number" || waitMs <= 0) return [stops];
  return [
    stops,
    increment("baton_waits_total", { reason }),
    increment("baton_waits_seconds_total", { reason }, waitMs / 1000),
  ];
}
