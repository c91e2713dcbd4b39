/**
 * The endpoints of a session as its row keeps them, and what of each commit they are told. An endpoint
 * is told what it is and what happened in one line of acknowledged messages, so that it always knows
 * its settings before its first notice.
 */
import type { JsonObject } from "../json";
import type { LogEvent } from "../log/event";
import { enqueue, type OutboxState } from "../owners/outbox";
import { isParticipantExpired } from "../session/expiry";
import type { Participant } from "../participants/participant";
import type { Session } from "../session/session";
import { numberOf } from "../ids";
import { isNotice } from "./catalogue";
import { endpointIdFromHex } from "./endpoint";
import type { EndpointSettings, EndpointStatus, EndpointView, PendingActions } from "./endpoint";

export interface StoredEndpoint {
  readonly hex: string;
  /** The participant it ends with. */
  readonly madeBy: number;
  /** Hash of the owner's key that its maker is bound to, and so ends with. */
  readonly key?: string;
  readonly createdAt: number;
  readonly endsAt: number | null;
  readonly settings: EndpointSettings;
  /** What it reported of itself; absent while it is active. */
  readonly status?: Exclude<EndpointStatus, "active">;
}

/** As it is shown: of its address only the origin. */
export const viewEndpoint = ({
  hex,
  settings,
  createdAt,
  status,
}: Pick<StoredEndpoint, "hex" | "settings" | "createdAt" | "status">): EndpointView => ({
  id: endpointIdFromHex(hex),
  origin: settings.origin,
  notices: settings.notices,
  format: settings.format,
  labels: settings.labels,
  status: status ?? "active",
  createdAt: new Date(createdAt).toISOString(),
});

/** What a write does to the endpoints. */
export type EndpointChange =
  | ({ readonly saved: StoredEndpoint } & PendingActions)
  | { readonly removed: string };

/** A message to an endpoint. A ring names only the commit: what is in the log is not kept twice. */
export type EndpointOutboxMessage =
  | ({ readonly put: StoredEndpoint; readonly isEnded: boolean } & PendingActions)
  | { readonly ring: number }
  | { readonly remove: true };

export const endpointsOf = (news: OutboxState): readonly StoredEndpoint[] => news.endpoints ?? [];

export function enqueueEndpointChange(
  news: OutboxState,
  change: EndpointChange,
  seq: number,
): OutboxState {
  if ("removed" in change) {
    const left = endpointsOf(news).filter(({ hex }) => hex !== change.removed);
    return enqueueFor({ ...news, endpoints: left }, change.removed, seq, { remove: true });
  }
  const { saved, ...once } = change;
  const others = endpointsOf(news).filter(({ hex }) => hex !== saved.hex);
  const kept = { ...news, endpoints: [...others, saved] };
  return enqueueFor(kept, saved.hex, seq, { put: saved, isEnded: false, ...once });
}

/** With what a commit gives to tell: its notices, and that a maker's rights are over. */
export function enqueueNotices(
  news: OutboxState,
  session: Pick<Session, "revoked">,
  participants: readonly Participant[],
  commit: { readonly first: number; readonly last: number; readonly events: readonly LogEvent[] },
  now: number,
): OutboxState {
  let told = news;
  for (const endpoint of endpointsOf(news)) {
    if (endpoint.status === "ended") continue;
    if (isMakerGone(endpoint, session, participants, now)) {
      told = enqueueFor(
        withEndpointStatus(told, endpoint.hex, "ended"),
        endpoint.hex,
        commit.last,
        {
          put: endpoint,
          isEnded: true,
        },
      );
    } else if (commit.events.some((event) => isNoticeFor(event, endpoint, participants))) {
      told = enqueueFor(told, endpoint.hex, commit.last, { ring: commit.first });
    }
  }
  return told;
}

/** Nothing is sent any more: whoever made it was revoked, or is past its end. */
export function isMakerGone(
  { madeBy }: StoredEndpoint,
  { revoked }: Pick<Session, "revoked">,
  participants: readonly Participant[],
  now: number,
): boolean {
  const maker = participants.find(({ number }) => number === madeBy);
  return maker === undefined || revoked.includes(madeBy) || isParticipantExpired(maker, now);
}

/** Is it told of this event? A handoff may name it, whatever it asked for. */
export const isNoticeFor = (
  event: LogEvent,
  { hex, settings }: StoredEndpoint,
  participants: readonly Participant[],
): boolean =>
  isNotice(event.type) &&
  (settings.notices.includes(event.type) ||
    handoffNotification(event, participants)?.to.includes(hex) === true);

/** Those that ask somebody to open the link; the others only tell what became of it. */
const WITH_LINK: ReadonlySet<string> = new Set(["handoff.created", "handoff.reminded"]);

/** Whom the handoff that an event speaks of rings, with its sealed link where it is to be opened. */
export function handoffNotification(
  { type, payload }: LogEvent,
  participants: readonly Participant[],
): Participant["ring"] {
  if (!type.startsWith("handoff.")) return undefined;
  const number = numberOf(String(payload["handoffId"]), "hnd_");
  const ring = participants.find((one) => one.number === number)?.ring;
  return ring === undefined || WITH_LINK.has(type) ? ring : { to: ring.to };
}

export const withEndpointStatus = (
  news: OutboxState,
  hex: string,
  status: "suspended" | "ended",
): OutboxState => ({
  ...news,
  endpoints: endpointsOf(news).map((one) => (one.hex === hex ? { ...one, status } : one)),
});

const enqueueFor = (
  news: OutboxState,
  to: string,
  seq: number,
  body: EndpointOutboxMessage,
): OutboxState => enqueue(news, { to, seq, body: body as unknown as JsonObject });
