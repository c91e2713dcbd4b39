/**
 * A subscription of MCP Events: an endpoint of an owner that was made over MCP, for one kind of notice.
 * Its id follows from who subscribes, to what and where to, so subscribing again refreshes it. What is
 * here follows one revision of the draft (docs/guides/mcp-events.md); the wire may change with it.
 */
import { SYSTEM } from "../participants/actor";
import { isTerminal, type State } from "../session/state";
import type { NoticeType } from "./catalogue";
import type { Notice, OutgoingNotice } from "./notice";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Granted to who asks for no time of its own. */
const DEFAULT_TTL_MS = DAY_MS;
/** A shorter wish is raised to it, so that refreshing does not become the work. */
const MIN_TTL_MS = MINUTE_MS;
/** A longer wish is cut to it; who wants more asks for no end at all. */
const MAX_TTL_MS = 90 * DAY_MS;

/** What an endpoint keeps of it, beside what every endpoint has. */
export interface Subscription {
  /** `sub_…`, in the header of every delivery. */
  readonly id: string;
  /** Hash of the address: a second subscription to the same one needs no second challenge. */
  readonly address: string;
  /** Hash of the newest secret: the same one again is no rotation. */
  readonly secret: string;
  /** Of this session alone; then its seq is the cursor. */
  readonly session?: string;
}

/** What of an endpoint's settings says whether it is a subscription, and to what. */
interface SubscribedSettings {
  readonly subscription?: Subscription;
  readonly notices: readonly NoticeType[];
}

/** The draft's codes, as a subscriber meets them. */
export const EVENT_ERRORS = {
  invalidParams: -32602,
  notFound: -32011,
  forbidden: -32012,
  exhausted: -32013,
  unsupported: -32014,
  callback: -32015,
  internal: -32603,
} as const;

/** When it lapses: null for never, where no end was asked for. */
export function subscriptionEndsAt(ttlMs: number | null | undefined, now: number): number | null {
  if (ttlMs === null) return null;
  const wished = ttlMs ?? DEFAULT_TTL_MS;
  return now + Math.min(Math.max(wished, MIN_TTL_MS), MAX_TTL_MS);
}

/** The same on every way that an event comes. */
export const eventIdOf = ({ sessionId, endpointId, seq }: Notice["data"]): string =>
  `${sessionId ?? endpointId ?? ""}:${seq}`;

/** An event as the draft has it, in a body of its own or among others. */
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

/** What is posted: an event with its cursor, or what the subscription is told of itself. */
export const occurrenceBody = (
  { notice, control, cursor = null }: OutgoingNotice & { readonly cursor?: string | null },
  url: string | null,
): object => control?.body ?? occurrence(notice, cursor, url);

/** Nothing that a subscriber wants can follow in this session. */
const isEndState = (state: State | undefined): boolean => state !== undefined && isTerminal(state);

/** After these notices of its session a subscription has nothing to wait for. */
export const endsSubscription = (
  { session }: Pick<Subscription, "session">,
  notices: readonly Notice[],
): boolean =>
  session !== undefined &&
  notices.some(({ data }) => data.sessionId === session && isEndState(data.state));

/** Said once for each life of a subscription: `version` is that of its endpoint. */
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

/** What the subscriber of one session is told of an event that will not come; null for others, who have no cursor. */
export const gapMessageFor = (
  { subscription, notices }: SubscribedSettings,
  seq: number,
  now: number,
): OutgoingNotice | null =>
  subscription?.session === undefined || notices[0] === undefined
    ? null
    : gapMessage(subscription, notices[0], seq, now);

/** Events up to `cursor` are not all there: some were trimmed from the log, given up, or too many to keep. */
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

/** Stands where a row names the notice it tells of; nothing of it is sent. */
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
  },
});
