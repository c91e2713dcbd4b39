/**
 * The endpoints of a session as its row stores them, and the messages that each commit sends them.
 * Settings and notices are sent in one ordered queue, so that an endpoint always has its settings
 * before its first notice.
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
  /** The participant that created it, and with which it ends. */
  readonly madeBy: number;
  /** Hash of the owner's key that its creator is bound to. The endpoint ends with that key. */
  readonly key?: string;
  readonly createdAt: number;
  readonly endsAt: number | null;
  readonly settings: EndpointSettings;
  /** The status that it reported; absent while it is active. */
  readonly status?: Exclude<EndpointStatus, "active">;
}

/** The endpoint as it is shown: only the origin of its address. */
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

/** What a write changes in the endpoints. */
export type EndpointChange =
  | ({ readonly saved: StoredEndpoint } & PendingActions)
  | { readonly removed: string };

/**
 * A message to an endpoint. `ring` contains only the seq of the commit, because the log already has
 * its notices.
 */
export type EndpointOutboxMessage =
  | ({ readonly put: StoredEndpoint; readonly isEnded: boolean } & PendingActions)
  | { readonly ring: number }
  | { readonly remove: true };

export const endpointsOf = (outbox: OutboxState): readonly StoredEndpoint[] =>
  outbox.endpoints ?? [];

export function enqueueEndpointChange(
  outbox: OutboxState,
  change: EndpointChange,
  seq: number,
): OutboxState {
  if ("removed" in change) {
    const remaining = endpointsOf(outbox).filter(({ hex }) => hex !== change.removed);
    return enqueueFor({ ...outbox, endpoints: remaining }, change.removed, seq, { remove: true });
  }
  const { saved, ...actions } = change;
  const others = endpointsOf(outbox).filter(({ hex }) => hex !== saved.hex);
  const updated = { ...outbox, endpoints: [...others, saved] };
  return enqueueFor(updated, saved.hex, seq, { put: saved, isEnded: false, ...actions });
}

/**
 * Adds the messages of a commit: its notices, and the end of endpoints whose creator lost its
 * rights.
 */
export function enqueueNotices(
  outbox: OutboxState,
  session: Pick<Session, "revoked">,
  participants: readonly Participant[],
  commit: { readonly first: number; readonly last: number; readonly events: readonly LogEvent[] },
  now: number,
): OutboxState {
  let updated = outbox;
  for (const endpoint of endpointsOf(outbox)) {
    if (endpoint.status === "ended") continue;
    if (isMakerGone(endpoint, session, participants, now)) {
      updated = enqueueFor(
        withEndpointStatus(updated, endpoint.hex, "ended"),
        endpoint.hex,
        commit.last,
        {
          put: endpoint,
          isEnded: true,
        },
      );
    } else if (commit.events.some((event) => isNoticeFor(event, endpoint, participants))) {
      updated = enqueueFor(updated, endpoint.hex, commit.last, { ring: commit.first });
    }
  }
  return updated;
}

/** Whether the creator was revoked or has expired, so that nothing more is sent. */
export function isMakerGone(
  { madeBy }: StoredEndpoint,
  { revoked }: Pick<Session, "revoked">,
  participants: readonly Participant[],
  now: number,
): boolean {
  const maker = participants.find(({ number }) => number === madeBy);
  return maker === undefined || revoked.includes(madeBy) || isParticipantExpired(maker, now);
}

/** Whether the endpoint receives this event. If a handoff names it, its filter does not apply. */
export const isNoticeFor = (
  event: LogEvent,
  { hex, settings }: StoredEndpoint,
  participants: readonly Participant[],
): boolean =>
  isNotice(event.type) &&
  (settings.notices.includes(event.type) ||
    handoffNotification(event, participants)?.to.includes(hex) === true);

/** Notices that ask somebody to open the link. The others only report on it. */
const WITH_LINK: ReadonlySet<string> = new Set(["handoff.created", "handoff.reminded"]);

/**
 * The endpoints that the handoff of this event notifies, with the sealed link if it is to be
 * opened.
 */
export function handoffNotification(
  { type, payload }: LogEvent,
  participants: readonly Participant[],
): Participant["ring"] {
  if (!type.startsWith("handoff.")) return undefined;
  const number = numberOf(String(payload["handoffId"]), "hnd_");
  const notification = participants.find((one) => one.number === number)?.ring;
  return notification === undefined || WITH_LINK.has(type) ? notification : { to: notification.to };
}

export const withEndpointStatus = (
  outbox: OutboxState,
  hex: string,
  status: "suspended" | "ended",
): OutboxState => ({
  ...outbox,
  endpoints: endpointsOf(outbox).map((one) => (one.hex === hex ? { ...one, status } : one)),
});

const enqueueFor = (
  outbox: OutboxState,
  to: string,
  seq: number,
  body: EndpointOutboxMessage,
): OutboxState => enqueue(outbox, { to, seq, body: body as unknown as JsonObject });
