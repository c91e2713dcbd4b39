/** Loads everything that the page of one session shows, with the rights of the owner's key. */
import type { HandoffView, SessionView } from "../../domain/session/view";
import type { LogEvent } from "../../domain/log/event";
import { eventsIn } from "../../domain/log/event-line";
import type { JobView } from "../../domain/jobs/job";
import type { Gateway, GatewayReply } from "../../gateway/gateway";
import type { LineageEntry } from "../../gateway/lineage";
import type { ListedView, OwnerGateway } from "../../gateway/owner-gateway";
import type { Holder } from "../../gateway/owner-keys";
import type { UnverifiedCredential } from "../../gateway/session-calls";

/** Events on one page of the timeline. */
const TIMELINE_EVENTS = 100;
/** Stops are searched only in this many newest events, because a log can be long. */
const STOP_SEARCH_EVENTS = 2_000;
const MAX_JOBS = 50;

export interface SessionDetails {
  readonly session: SessionView;
  /** The session's row in the directory. Null until the directory has it. */
  readonly listed: ListedView | null;
  readonly handoffs: readonly HandoffView[];
  readonly jobs: readonly JobView[];
  readonly events: readonly LogEvent[];
  /** The page of events starts after this one. */
  readonly after: number;
  readonly stops: readonly LogEvent[];
  readonly lineage: readonly LineageEntry[];
}

interface Gateways {
  readonly gateway: Gateway;
  readonly owners: OwnerGateway;
  readonly holder: Holder;
}

export async function loadSessionDetails(
  { gateway, owners, holder }: Gateways,
  credential: UnverifiedCredential,
  before: number | null,
): Promise<GatewayReply<SessionDetails>> {
  const reply = await gateway.get(credential);
  if (!reply.ok) return reply;
  const session = reply.value.view;
  const end = Math.min(before ?? session.head, session.head);
  const after = Math.max(0, end - TIMELINE_EVENTS);
  const [listed, handoffs, jobs, events, stops, lineage] = await Promise.all([
    owners.row(holder, credential),
    gateway.read(credential, "handoffs", {}),
    gateway.read(credential, "listJobs", { after: 0, limit: MAX_JOBS }),
    gateway.events(credential, "audit", { after, limit: end - after, types: [] }),
    gateway.events(credential, "audit", {
      after: Math.max(0, session.head - STOP_SEARCH_EVENTS),
      limit: STOP_SEARCH_EVENTS,
      types: ["stop.*", "resume.*"],
    }),
    gateway.lineage(credential),
  ]);
  if (!handoffs.ok) return handoffs;
  if (!jobs.ok) return jobs;
  if (!events.ok) return events;
  if (!stops.ok) return stops;
  if (!lineage.ok) return lineage;
  return {
    ok: true,
    value: {
      session,
      listed: listed.ok ? listed.value : null,
      handoffs: handoffs.value,
      jobs: jobs.value.jobs,
      events: eventsIn(events.value.texts.filter((text) => text !== "")),
      after,
      stops: eventsIn(stops.value.texts.filter((text) => text !== "")),
      lineage: lineage.value,
    },
  };
}
