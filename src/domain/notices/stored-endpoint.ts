/**
 * The endpoints of a session as its row keeps them, and what of each commit they are told. An endpoint
 * is told what it is and what happened in one line of acknowledged messages, so that it always knows
 * its settings before its first notice.
 */
import type { JsonObject } from "../json";
import type { LogEvent } from "../log/event";
import { withTelling, type News } from "../owners/news";
import { isParticipantExpired } from "../session/expiry";
import type { Participant } from "../participants/participant";
import type { Session } from "../session/session";
import { numberOf } from "../ids";
import { isNotice } from "./catalogue";
import { endpointIdFromHex } from "./endpoint";
import type { EndpointSettings, EndpointStatus, EndpointView, SaidOnce } from "./endpoint";

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
  | ({ readonly saved: StoredEndpoint } & SaidOnce)
  | { readonly removed: string };

/** A message to an endpoint. A ring names only the commit: what is in the log is not kept twice. */
export type EndpointTelling =
  | ({ readonly put: StoredEndpoint; readonly isEnded: boolean } & SaidOnce)
  | { readonly ring: number }
  | { readonly remove: true };

export const endpointsOf = (news: News): readonly StoredEndpoint[] => news.endpoints ?? [];

export function withEndpoint(news: News, change: EndpointChange, seq: number): News {
  if ("removed" in change) {
    const left = endpointsOf(news).filter(({ hex }) => hex !== change.removed);
    return tell({ ...news, endpoints: left }, change.removed, seq, { remove: true });
  }
  const { saved, ...once } = change;
  const others = endpointsOf(news).filter(({ hex }) => hex !== saved.hex);
  const kept = { ...news, endpoints: [...others, saved] };
  return tell(kept, saved.hex, seq, { put: saved, isEnded: false, ...once });
}

/** With what a commit gives to tell: its notices, and that a maker's rights are over. */
export function withRings(
  news: News,
  session: Pick<Session, "revoked">,
  participants: readonly Participant[],
  commit: { readonly first: number; readonly last: number; readonly events: readonly LogEvent[] },
  now: number,
): News {
  let told = news;
  for (const endpoint of endpointsOf(news)) {
    if (endpoint.status === "ended") continue;
    if (isMakerGone(endpoint, session, participants, now)) {
      told = tell(withStatus(told, endpoint.hex, "ended"), endpoint.hex, commit.last, {
        put: endpoint,
        isEnded: true,
      });
    } else if (commit.events.some((event) => isFor(event, endpoint, participants))) {
      told = tell(told, endpoint.hex, commit.last, { ring: commit.first });
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
export const isFor = (
  event: LogEvent,
  { hex, settings }: StoredEndpoint,
  participants: readonly Participant[],
): boolean =>
  isNotice(event.type) &&
  (settings.notices.includes(event.type) || ringOf(event, participants)?.to.includes(hex) === true);

/** Those that ask somebody to open the link; the others only tell what became of it. */
const WITH_LINK: ReadonlySet<string> = new Set(["handoff.created", "handoff.reminded"]);

/** Whom the handoff that an event speaks of rings, with its sealed link where it is to be opened. */
export function ringOf(
  { type, payload }: LogEvent,
  participants: readonly Participant[],
): Participant["ring"] {
  if (!type.startsWith("handoff.")) return undefined;
  const number = numberOf(String(payload["handoffId"]), "hnd_");
  const ring = participants.find((one) => one.number === number)?.ring;
  return ring === undefined || WITH_LINK.has(type) ? ring : { to: ring.to };
}

export const withStatus = (news: News, hex: string, status: "suspended" | "ended"): News => ({
  ...news,
  endpoints: endpointsOf(news).map((one) => (one.hex === hex ? { ...one, status } : one)),
});

const tell = (news: News, to: string, seq: number, body: EndpointTelling): News =>
  withTelling(news, { to, seq, body: body as unknown as JsonObject });
