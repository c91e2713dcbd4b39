/**
 * What one commit adds to the counters that a self-hosted server shows at /metrics. Labels are words
 * of the server's own: never an id, and never what a client wrote.
 */
import type { Commit } from "../domain/log/commit";
import type { LogEvent } from "../domain/log/event";
import { isIssuedAnew, isOwnJob } from "./data-point";
import type { SessionId } from "../domain/ids";
import type { Json } from "../domain/json";
import type { StopReason } from "../domain/stops/policy";

export interface Tallied {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly amount: number;
}

/** An estimate, and named as one: how long a stopped agent would have stood until somebody saw it. */
const NOTICED_AFTER_SECONDS = 600;

/** Instead of a stop's reason, where none was reported since the last resume. */
const NO_STOP = "none";

const one = (name: string, labels: Tallied["labels"] = {}, amount = 1): Tallied => ({
  name,
  labels,
  amount,
});

export function talliesOf(
  { events, from, stopped, session }: Pick<Commit, "events" | "from" | "stopped" | "session">,
  sessionId: SessionId,
): readonly Tallied[] {
  const found = events.flatMap((event) => talliesOfEvent(event, sessionId, stopped));
  if (from === undefined || from === session.state) return found;
  return [
    ...found,
    ...(from === null ? [] : [one("baton_sessions_left_total", { state: from })]),
    one("baton_sessions_entered_total", { state: session.state }),
  ];
}

function talliesOfEvent(
  { type, payload }: LogEvent,
  sessionId: SessionId,
  stopped: StopReason | undefined,
): readonly Tallied[] {
  switch (type) {
    case "token.accessed":
      return payload["by"] === "resume"
        ? resumed(payload["auto"] === true, stopped ?? NO_STOP)
        : [];
    case "stop.reported":
      return reported(String(payload["reason"]), payload["decision"]);
    case "session.forked":
      return [one("baton_forks_total")];
    case "handoff.created":
      return isIssuedAnew(payload)
        ? []
        : [one("baton_handoffs_total", { to: payload["to"] === "human" ? "human" : "agent" })];
    case "handoff.opened":
      return [one("baton_handoffs_opened_total")];
    default: {
      const event = JOB_EVENTS.get(type);
      // A session that watches another's job has copies of its events; they are counted there.
      return event !== undefined && isOwnJob(payload["jobId"], sessionId)
        ? [one("baton_jobs_total", { event })]
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

const resumed = (isAutomatic: boolean, reason: StopReason | typeof NO_STOP): readonly Tallied[] =>
  isAutomatic
    ? [
        one("baton_resumes_total", { by: "automation", reason }),
        one("baton_saved_estimate_seconds_total", {}, NOTICED_AFTER_SECONDS),
      ]
    : [one("baton_resumes_total", { by: "request", reason })];

function reported(reason: string, decided: Json | undefined): readonly Tallied[] {
  const { strategy, waitMs } = (decided ?? {}) as Readonly<Record<string, Json>>;
  const stops = one("baton_stops_total", { reason, strategy: String(strategy) });
  if (typeof waitMs !== "number" || waitMs <= 0) return [stops];
  return [
    stops,
    one("baton_waits_total", { reason }),
    one("baton_waits_seconds_total", { reason }, waitMs / 1000),
  ];
}
