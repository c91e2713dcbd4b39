/**
 * A subscription of MCP Events: an endpoint of an owner that was created over MCP, for one kind of
 * notice. Its id is derived from the subscriber, the notice and the address, so subscribing again
 * refreshes it. This follows one revision of the draft (docs/guides/mcp-events.md), and may change
 * with it.
 */
import { SYSTEM } from "../participants/actor";
import { isTerminal, type State } from "../session/state";
import type { NoticeType } from "./catalogue";
import type { Notice, OutgoingNotice } from "./notice";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Used if the request contains no TTL. */
const DEFAULT_TTL_MS = DAY_MS;
/** A shorter TTL is raised to this, so that refreshes stay rare. */
const MIN_TTL_MS = MINUTE_MS;
/** A longer TTL is cut to this. A client that needs more requests no end at all. */
const MAX_TTL_MS = 90 * DAY_MS;

/** What an endpoint stores about its subscription, in addition to its settings. */
export interface Subscription {
  /** `sub_…`, in the header of every delivery. */
  readonly id: string;
  /** Hash of the address. A second subscription to the same address needs no second challenge. */
  readonly address: string;
  /** Hash of the newest secret. Sending the same secret again is not a rotation. */
  readonly secret: string;
  /** Only notices of this session. Its seq is then the cursor. */
  readonly session?: string;
}

/** The settings that define whether an endpoint is a subscription, and of what. */
interface SubscribedSettings {
  readonly subscription?: Subscription;
  readonly notices: readonly NoticeType[];
}

/** The error codes of the draft. */
export const EVENT_ERRORS = {
  invalidParams: -32602,
  notFound: -32011,
  forbidden: -32012,
  exhausted: -32013,
  unsupported: -32014,
  callback: -32015,
  internal: -32603,
} as const;

/** When the subscription ends; null for never. */
export function subscriptionEndsAt(ttlMs: number | null | undefined, now: number): number | null {
  if (ttlMs === null) return null;
  const requestedMs = ttlMs ?? DEFAULT_TTL_MS;
  return now + Math.min(Math.max(requestedMs, MIN_TTL_MS), MAX_TTL_MS);
}

/** The same id on every transport. */
export const eventIdOf = ({ sessionId, endpointId, seq }: Notice["data"]): string =>
  `${sessionId ?? endpointId ?? ""}:${seq}`;

/** An event as the draft defines it, alone in a body or in a list. */
const occurrence = (
  { type, timestamp, data }: Notice,
  cursor: string | null,
  url: string | null,
) => ({
  eventId: eventIdOf(data),
  name: type,
  timestamp,
  data: url === null ? data : { ...data, url },
  cursor,
});

/** The posted body: an event with its cursor, or a control message. */
export const occurrenceBody = (
  { notice, control, cursor = null }: OutgoingNotice & { readonly cursor?: string | null },
  url: string | null,
): object => control?.body ?? occurrence(notice, cursor, url);

/** No further event can follow in this state. */
const isEndState = (state: State | undefined): boolean => state !== undefined && isTerminal(state);

/** Whether these notices are the last ones of the subscription's session. */
export const endsSubscription = (
  { session }: Pick<Subscription, "session">,
  notices: readonly Notice[],
): boolean =>
  session !== undefined &&
  notices.some(({ data }) => data.sessionId === session && isEndState(data.state));

/** Sent once per life of a subscription. `version` is that of its endpoint. */
export const terminatedMessage = (
  { id, session }: Pick<Subscription, "id" | "session">,
  name: NoticeType,
  version: number,
  now: number,
): OutgoingNotice => ({
  notice: bareNotice(name, session, version, now),
  control: {
    id: `msg_terminated_${id.slice("sub_".length)}_${version}`,
    body: {
      type: "terminated",
      error: {
        code: EVENT_ERRORS.notFound,
        message: "The session has ended",
        data: { kind: "session" },
      },
    },
  },
});

/** The gap message for an event that will not be delivered. Null for subscriptions without a cursor. */
export const gapMessageFor = (
  { subscription, notices }: SubscribedSettings,
  seq: number,
  now: number,
): OutgoingNotice | null =>
  subscription?.session === undefined || notices[0] === undefined
    ? null
    : gapMessage(subscription, notices[0], seq, now);

/** Not all events up to `cursor` are available: some were trimmed, given up, or too many to store. */
export const gapMessage = (
  { id, session }: Pick<Subscription, "id" | "session">,
  name: NoticeType,
  cursor: number,
  now: number,
): OutgoingNotice => ({
  notice: bareNotice(name, session, cursor, now),
  control: {
    id: `msg_gap_${id.slice("sub_".length)}_${cursor}`,
    body: { type: "gap", cursor: String(cursor) },
  },
});

/** A placeholder for the notice in the delivery's row. It is not sent. */
const bareNotice = (
  type: NoticeType,
  session: string | undefined,
  seq: number,
  now: number,
): Notice => ({
  type,
  timestamp: new Date(now).toISOString(),
  data: {
    ...(session === undefined
      ? {}
      : { sessionId: session as NonNullable<Notice["data"]["sessionId"]> }),
    seq,
    waiting: null,
    labels: {},
    actor: SYSTEM,
    participant: null,
  },
});
