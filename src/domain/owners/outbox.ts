/**
 * What other objects are to be told of a session, derived from each commit and kept in the session's
 * row until they have acknowledged it. Telling follows the answer, so no write waits for another
 * object; each message carries the session's seq, so that what comes twice or late changes nothing.
 */
import type { Json, JsonObject } from "../json";
import { canonicalJson } from "../json";
import type { StoredEndpoint } from "../notices/stored-endpoint";
import type { Session } from "../session/session";
import type { Labels } from "./ownership";
import type { Waiting } from "./waiting";

/** One message for another object. Those with the same `to` are told in the order of `seq`. */
export interface OutboxMessage {
  /** `directory`, or the id of the endpoint that is told. */
  readonly to: string;
  /** Of the commit that it tells of. */
  readonly seq: number;
  readonly body: JsonObject;
}

/** Stands in the session's row. A session that nobody is told of has none. */
export interface OutboxState {
  readonly waiting: Waiting | null;
  /** Not yet acknowledged, oldest first. */
  readonly untold: readonly OutboxMessage[];
  /** Where notices of this session are posted. */
  readonly endpoints?: readonly StoredEndpoint[];
  /** The end that was announced, and since when the wait began that was told of as long. */
  readonly expiring?: number;
  readonly longWait?: number;
  /** From here on the session answers as if it were gone; what is left to do is to tell so. */
  readonly isPurging?: true;
}

export const EMPTY_OUTBOX: OutboxState = { waiting: null, untold: [] };

/** Where the owner's directory is meant. */
export const DIRECTORY_RECEIVER = "directory";

/** What the directory lists of a session, as it is told. */
export interface DirectoryListing {
  readonly title: string | null;
  readonly state: Session["state"];
  readonly waiting: Waiting | null;
  readonly labels: Labels;
  readonly expiresAt: number;
  readonly changedAt: number;
}

/** What the directory is told of one commit: what it lists, and that there are notices to forward. */
export interface DirectoryOutboxMessage {
  readonly listing?: DirectoryListing;
  /** The seq with which the commit begins: its notices are composed from the log. */
  readonly ring?: number;
}

/** Notices are told all; so many commits wait only if the receiver cannot be reached for days. */
const MAX_PENDING_COMMITS = 1_000;
/** Of what the directory lists a later message says more. */
const MAX_PENDING_LISTINGS = 32;

/** With what this commit has to tell the directory: what it lists, where that changed, and its notices. */
export function enqueueListing(
  news: OutboxState,
  ring: number | null,
  before: Pick<Session, "title" | "state" | "labels" | "expiresAt"> | null,
  after: Session,
  waiting: Waiting | null,
  seq: number,
  now: number,
): OutboxState {
  const listed = ({ title, state, labels, expiresAt }: typeof after): Json => [
    title,
    state,
    labels,
    expiresAt,
  ];
  const isSame =
    before !== null &&
    news.waiting?.for === waiting?.for &&
    canonicalJson(listed(before as Session)) === canonicalJson(listed(after));
  if (isSame && ring === null) return news;
  const { title, state, labels, expiresAt } = after;
  const listing: DirectoryListing = { title, state, waiting, labels, expiresAt, changedAt: now };
  const told: DirectoryOutboxMessage = {
    ...(isSame ? {} : { listing }),
    ...(ring === null ? {} : { ring }),
  };
  const kept = { ...news, waiting, untold: withoutOldestListing(news.untold) };
  return enqueue(kept, { to: DIRECTORY_RECEIVER, seq, body: told as unknown as JsonObject });
}

/** With one message more. Of too many for one receiver the oldest leaves. */
export function enqueue(news: OutboxState, telling: OutboxMessage): OutboxState {
  const others = news.untold.filter(({ to }) => to === telling.to);
  const [oldest] = others;
  const isFull = others.length >= MAX_PENDING_COMMITS;
  const kept = isFull ? news.untold.filter((one) => one !== oldest) : news.untold;
  return { ...news, untold: [...kept, telling] };
}

/** With room for one listing more. The notices that were to be told with the oldest one stay. */
function withoutOldestListing(untold: readonly OutboxMessage[]): readonly OutboxMessage[] {
  const listings = untold.filter(({ to, body }) => to === DIRECTORY_RECEIVER && "listing" in body);
  const [oldest] = listings;
  if (listings.length < MAX_PENDING_LISTINGS) return untold;
  return untold.flatMap((one) => {
    if (one !== oldest) return [one];
    const { listing: _, ...body } = one.body;
    return "ring" in body ? [{ ...one, body }] : [];
  });
}

/** Without what a receiver has acknowledged: everything for it up to a seq. */
export const withoutAcknowledged = (news: OutboxState, to: string, upTo: number): OutboxState => ({
  ...news,
  untold: news.untold.filter((one) => one.to !== to || one.seq > upTo),
});
