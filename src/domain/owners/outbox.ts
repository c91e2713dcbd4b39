/**
 * The outbox of a session: messages to other objects, derived from each commit and stored in the
 * session's row until they are acknowledged. They are sent after the response, so no write waits
 * for another object. Each contains the session's seq, so that duplicate or late messages change
 * nothing.
 */
import type { Json, JsonObject } from "../json";
import { canonicalJson } from "../json";
import type { StoredEndpoint } from "../notices/stored-endpoint";
import type { Session } from "../session/session";
import type { Labels } from "./ownership";
import type { Waiting } from "./waiting";

/** A message to another object. Messages with the same `to` are sent in the order of `seq`. */
export interface OutboxMessage {
  /** `directory`, or the id of the endpoint that receives it. */
  readonly to: string;
  /** The seq of the commit that it reports. */
  readonly seq: number;
  readonly body: JsonObject;
}

/** Stored in the session's row. Sessions without receivers store nothing. */
export interface OutboxState {
  readonly waiting: Waiting | null;
  /** Not yet acknowledged, oldest first. */
  readonly untold: readonly OutboxMessage[];
  /** Where notices of this session are posted. */
  readonly endpoints?: readonly StoredEndpoint[];
  /** The announced end, and the start of the wait that was reported as long. */
  readonly expiring?: number;
  readonly longWait?: number;
  /** The session is already reported as gone. What is left is to inform the directory. */
  readonly isPurging?: true;
}

export const EMPTY_OUTBOX: OutboxState = { waiting: null, untold: [] };

/** The receiver `directory` is the directory of the session's owner. */
export const DIRECTORY_RECEIVER = "directory";

/** What the directory lists about a session. */
export interface DirectoryListing {
  readonly title: string | null;
  readonly state: Session["state"];
  readonly waiting: Waiting | null;
  readonly labels: Labels;
  readonly expiresAt: number;
  readonly changedAt: number;
}

/**
 * The message of one commit to the directory: its listing, and whether there are notices to
 * forward.
 */
export interface DirectoryOutboxMessage {
  readonly listing?: DirectoryListing;
  /** The first seq of the commit. Its notices are composed from the log. */
  readonly ring?: number;
}

/** All notices are sent. So many commits are pending only if the receiver is unreachable for days. */
const MAX_PENDING_COMMITS = 1_000;
/** A later listing replaces earlier ones. */
const MAX_PENDING_LISTINGS = 32;

/** Adds the message of this commit to the directory: the listing, if it changed, and the notices. */
export function enqueueListing(
  outbox: OutboxState,
  firstSeq: number | null,
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
    outbox.waiting?.for === waiting?.for &&
    canonicalJson(listed(before as Session)) === canonicalJson(listed(after));
  if (isSame && firstSeq === null) return outbox;
  const { title, state, labels, expiresAt } = after;
  const listing: DirectoryListing = { title, state, waiting, labels, expiresAt, changedAt: now };
  const body: DirectoryOutboxMessage = {
    ...(isSame ? {} : { listing }),
    ...(firstSeq === null ? {} : { ring: firstSeq }),
  };
  const updated = { ...outbox, waiting, untold: withoutOldestListing(outbox.untold) };
  return enqueue(updated, { to: DIRECTORY_RECEIVER, seq, body: body as unknown as JsonObject });
}

/** Adds one message. If there are too many for its receiver, the oldest one is dropped. */
export function enqueue(outbox: OutboxState, message: OutboxMessage): OutboxState {
  const pending = outbox.untold.filter(({ to }) => to === message.to);
  const [oldest] = pending;
  const isFull = pending.length >= MAX_PENDING_COMMITS;
  const retained = isFull ? outbox.untold.filter((one) => one !== oldest) : outbox.untold;
  return { ...outbox, untold: [...retained, message] };
}

/** Makes space for one more listing. The notices of the oldest message stay. */
function withoutOldestListing(pending: readonly OutboxMessage[]): readonly OutboxMessage[] {
  const listings = pending.filter(({ to, body }) => to === DIRECTORY_RECEIVER && "listing" in body);
  const [oldest] = listings;
  if (listings.length < MAX_PENDING_LISTINGS) return pending;
  return pending.flatMap((one) => {
    if (one !== oldest) return [one];
    const { listing: _, ...body } = one.body;
    return "ring" in body ? [{ ...one, body }] : [];
  });
}

/** Removes the messages to a receiver up to a seq. */
export const withoutAcknowledged = (
  outbox: OutboxState,
  to: string,
  upTo: number,
): OutboxState => ({
  ...outbox,
  untold: outbox.untold.filter((one) => one.to !== to || one.seq > upTo),
});
