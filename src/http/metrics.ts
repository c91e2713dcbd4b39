/**
 * GET /metrics: the counters of this process and current gauges in the format of Prometheus, for holders
 * of METRICS_TOKEN.
 */
import { ENDPOINT_STATUSES } from "../domain/notices/endpoint";
import { STATES } from "../domain/session/state";
import type { Env } from "../env";
import { Caller } from "../gateway/caller";
import { dataBytes, hostStatus } from "../gateway/host";
import { countByOwner, type OwnerCounts } from "../gateway/owner-counts";
import { hashBearer } from "../gateway/secrets";
import { counters } from "../counters";
import { VERSION } from "../version";
import { answerProblem } from "./answers";

/** The counters and their help texts. docs/operations.md explains each. */
export const COUNTERS: Readonly<Record<string, string>> = {
  baton_requests_total: "HTTP requests answered, by method, route and status.",
  baton_request_seconds_total: "Time until the responses to these requests were ready, by route.",
  baton_operations_total: "MCP calls and ARCP messages, by operation and outcome.",
  baton_conflicts_total: "Writes refused because another came first, by code.",
  baton_replays_total: "Repeated requests that got their earlier response, by route.",
  baton_resume_requests_total: "Requests to resume, by result.",
  baton_resumes_total: "Accepted resumes, by who asked for them and the reason of the stop before.",
  baton_stops_total: "Reported stops, by reason and by the strategy decided on.",
  baton_waits_total: "Waits that the server decided on after a stop, by its reason.",
  baton_waits_seconds_total: "The length of these waits, as decided. Measured, not estimated.",
  baton_saved_estimate_seconds_total:
    "Estimate: ten minutes per automatic resume, until somebody would have noticed the stop.",
  baton_forks_total: "Sessions forked from another.",
  baton_handoffs_total: "Handoffs created, by whom they are for.",
  baton_handoffs_opened_total: "Links opened for the first time.",
  baton_jobs_total: "Jobs submitted, started, requeued, succeeded and failed.",
  baton_sessions_entered_total: "Sessions that entered a state, including new ones.",
  baton_sessions_left_total: "Sessions that left a state for another.",
  baton_sessions_purged_total: "Sessions purged, by the alarm after their end or by a request.",
  baton_deliveries_total: "Attempts to post to an endpoint, by outcome.",
  baton_endpoints_changed_total: "Endpoints that the server suspended or ended, by the new status.",
};

/** The gauges and their help texts. */
export const GAUGES: Readonly<Record<string, string>> = {
  baton_sessions: "Sessions that the listed owners have now, by state.",
  baton_open_sessions: "Sessions that have not ended, by owner.",
  baton_open_sessions_quota: "How many of these the owner may have, if it has such a quota.",
  baton_waiting: "Sessions that wait, by owner and by what they wait for.",
  baton_waiting_longest_seconds: "How long the one that waits longest has waited.",
  baton_endpoints: "Endpoints of the listed owners, by status.",
  baton_build_info: "1, with the running version.",
  baton_disk_free_bytes: "Free space on the disk of the data folder.",
  baton_data_bytes: "Size of all files in the data folder, at most five minutes old.",
  baton_memory_bytes: "Resident memory of the server and its runtime.",
};

export async function serveMetrics(request: Request, env: Env): Promise<Response> {
  const expected = env.METRICS_TOKEN;
  if (expected === undefined || expected === "") {
    return answerProblem({ code: "not_found", what: "page" });
  }
  const token = /^Bearer (\S+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1];
  if (token === undefined) return answerProblem({ code: "credential_missing", what: "metrics" });
  // Hashes are compared, so that the time reveals nothing of the token.
  const [a, b] = [hashBearer(token), hashBearer(expected)];
  if (!a.every((byte, at) => byte === b[at])) {
    return answerProblem({ code: "token_invalid", what: "metrics" });
  }
  const [owners, host, stored] = await Promise.all([
    countByOwner(env, Caller.of(request, env)),
    hostStatus(env),
    dataBytes(env),
  ]);
  const gauges = [
    gaugeText("baton_build_info", { [`{version="${VERSION}"}`]: 1 }),
    gaugeText("baton_sessions", sumsOf(owners, STATES, "state")),
    gaugeText("baton_open_sessions", valuesByOwner(owners, "open")),
    gaugeText("baton_open_sessions_quota", valuesByOwner(owners, "openQuota")),
    gaugeText("baton_waiting", valuesByWait(owners, "count")),
    gaugeText("baton_waiting_longest_seconds", valuesByWait(owners, "seconds")),
    gaugeText("baton_endpoints", sumsOf(owners, ENDPOINT_STATUSES, "status")),
    gaugeText("baton_disk_free_bytes", { "": host?.diskFreeBytes ?? null }),
    gaugeText("baton_data_bytes", { "": stored }),
    gaugeText("baton_memory_bytes", { "": host?.memoryBytes ?? null }),
  ];
  return new Response(metricsText() + gauges.join(""), {
    headers: {
      "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
      "Cache-Control": "no-store",
    },
  });
}

function metricsText(): string {
  let text = "";
  for (const [name, help] of Object.entries(COUNTERS)) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} counter\n`;
    for (const [labels, value] of counters.seriesOf(name)) {
      text += `${name}${labels === "" ? "" : `{${labels}}`} ${value}\n`;
    }
  }
  return text;
}

/** One sample per value of the label, so that unused values read 0. */
const sumsOf = (
  owners: readonly OwnerCounts[],
  values: readonly string[],
  label: "state" | "status",
) =>
  Object.fromEntries(
    values.map((value) => [
      `{${label}="${value}"}`,
      owners.reduce((sum, { [label]: counts }) => sum + (counts[value] ?? 0), 0),
    ]),
  );

const valuesByOwner = (owners: readonly OwnerCounts[], count: "open" | "openQuota") =>
  Object.fromEntries(owners.map((one) => [`{owner="${one.owner}"}`, one[count]]));

const valuesByWait = (owners: readonly OwnerCounts[], count: "count" | "seconds") =>
  Object.fromEntries(
    owners.flatMap(({ owner, waits }) =>
      waits.map((one) => [`{owner="${owner}",for="${one.for}"}`, one[count]]),
    ),
  );

/** By labels. A value that is not known now is omitted. */
function gaugeText(name: string, values: Readonly<Record<string, number | null>>): string {
  const lines = Object.entries(values).map(([labels, value]) =>
    value === null ? "" : `${name}${labels} ${value}\n`,
  );
  return `# HELP ${name} ${GAUGES[name]}\n# TYPE ${name} gauge\n${lines.join("")}`;
}
