/**
 * The only way into the log. A change is numbered, encoded and stored in one transaction, together
 * with the rows that change with it, and announced once that has succeeded. Nothing else inserts or
 * announces a commit: listeners get exactly what is stored.
 */
import type { IssuedToken } from "../domain/participants/admission";
import { SYSTEM } from "../domain/participants/actor";
import { numberBatch, type EventBatch } from "../domain/log/append";
import { numberEvents, type Commit, type EventAuthor } from "../domain/log/commit";
import type { NewEvent } from "../domain/log/event";
import { encodeEvents } from "../domain/log/event-line";
import { rowCapacity, writerOf, type Addition } from "../domain/log/log-capacity";
import type { Scope } from "../domain/participants/scope";
import { endAfterUse } from "../domain/session/expiry";
import type { Session } from "../domain/session/session";
import { withTrace, type Trace } from "../domain/log/trace";
import type { CommitRecord } from "../storage/commit-log";
import type { LoadedSession } from "../storage/session-store";
import type { SessionContext } from "./session-context";
import type { RequestKey } from "./messages";
import { enqueueMessages } from "./enqueue-messages";

/** The author of a change. */
export interface Author extends EventAuthor {
  /** Decides how much of the log the author may fill; null for the server, which has no limit. */
  readonly scopes: readonly Scope[] | null;
}

interface Change {
  readonly by: Author;
  readonly events: readonly NewEvent[] | EventBatch;
  readonly trace?: Trace | undefined;
  readonly issued?: readonly IssuedToken[];
  /** Identifies a repeated request. */
  readonly key?: RequestKey | null;
  /** Bytes stored outside the log, also after a trim: they count towards its size. */
  readonly extraBytes?: number;
  /**
   * Writes the rows of jobs, files and checkpoints that belong to the change, before the commit
   * itself.
   */
  readonly extraWrites?: ((commit: Commit) => void) | undefined;
  /** What else of the session's row changes. If absent, the row stays as it is. */
  readonly row?: RowChange;
}

interface RowChange extends Pick<LoadedSession, "plan"> {
  /** A function if they depend on the commit; called once the commit is in the log. */
  readonly participants:
    | LoadedSession["participants"]
    | ((commit: Commit) => LoadedSession["participants"]);
  readonly adds: Addition;
}

interface StoredChange {
  readonly commit: Commit;
  /** The session's row, if it changed. */
  readonly loaded: LoadedSession | null;
}

/** `before` is the session before the change; null for the change that creates it. */
export function commitChange(
  context: SessionContext,
  before: Session | null,
  now: number,
  change: Change,
): StoredChange {
  const { store } = context;
  const records: CommitRecord[] = [];
  const storeOne = (one: Change, session: Session | null): StoredChange => {
    // Before the first commit there are not even tables.
    const head = session === null ? 0 : store.head();
    const record = toCommitRecord(one, session, head, now);
    one.extraWrites?.(record.commit);
    store.insertCommit(record);
    const loaded = one.row === undefined ? null : rowAfter(record.commit, one.row);
    if (!("payloads" in one.events)) enqueueMessages(context, session, record, loaded);
    if (loaded !== null)
      store.update(loaded, rowCapacity(record.writer, one.row?.adds ?? "content"));
    records.push(record);
    return { commit: record.commit, loaded };
  };
  const isUse = before !== null && change.by.number !== null;
  const mayExtend = isUse && endAfterUse(before, now) !== null;
  const storeAll = (): StoredChange => {
    const { commit, loaded } = storeOne(change, before);
    const row = mayExtend ? (loaded ?? store.load()) : null;
    const end = endAfterUse(commit.session, now);
    if (end === null || row === null) return { commit, loaded };
    // The caller is shown the session as it is after both commits.
    return { commit, loaded: storeOne(extendingChange(row, end), commit.session).loaded };
  };
  const isOneStatement = !mayExtend && change.row === undefined && change.extraWrites === undefined;
  const stored = isOneStatement ? store.withCacheReset(storeAll) : store.transaction(storeAll);
  for (const record of records) context.announce(record);
  return stored;
}

const rowAfter = (commit: Commit, { participants, plan }: RowChange): LoadedSession => ({
  session: commit.session,
  participants: typeof participants === "function" ? participants(commit) : participants,
  plan,
});

/** Extends a session whose lifetime depends on use. */
const extendingChange = (loaded: LoadedSession, end: number): Change =>
  systemChange(loaded, [
    {
      type: "session.extended",
      payload: {
        from: new Date(loaded.session.expiresAt).toISOString(),
        expiresAt: new Date(end).toISOString(),
        because: "use",
      },
    },
  ]);

function toCommitRecord(
  { by, events, trace, issued = [], key, extraBytes = 0 }: Change,
  before: Session | null,
  head: number,
  now: number,
): CommitRecord {
  const result =
    "payloads" in events
      ? encodeBatch(events, before, head, by, now)
      : encodeCommit(numberEvents(before, head, events, by, now));
  return {
    commit: result.commit,
    text: withTrace(result.text, trace ?? null),
    at: now,
    participant: by.number,
    writer: writerOf(by.scopes),
    extraBytes,
    issued,
    append: key == null ? undefined : { key: key.hash, request: key.request },
  };
}

type EncodedCommit = Pick<CommitRecord, "commit" | "text">;

const encodeCommit = (commit: Commit): EncodedCommit => ({
  commit,
  text: encodeEvents(commit.events),
});

/** Client events change nothing of the session, so they stay text. */
function encodeBatch(
  batch: EventBatch,
  session: Session | null,
  head: number,
  author: Author,
  now: number,
): EncodedCommit {
  if (session === null) throw new Error("a session is not begun by client events");
  const text = numberBatch(batch, session, head, author, new Date(now).toISOString());
  const last = head + batch.count;
  return { commit: { first: head + 1, last, actor: author.actor, events: [], session }, text };
}

export const SERVER: Author = { number: null, actor: SYSTEM, scopes: null };

/** A change by the server itself. It adds no content, so it fits into a full session too. */
const systemChange = (
  loaded: LoadedSession,
  events: readonly NewEvent[],
  {
    extraWrites,
    participants = loaded.participants,
  }: Pick<Change, "extraWrites"> & Partial<LoadedSession> = {},
): Change => ({
  by: SERVER,
  events,
  extraWrites,
  row: { participants, plan: loaded.plan, adds: "nothing" },
});

export const commitBySystem = (
  context: SessionContext,
  loaded: LoadedSession,
  events: readonly NewEvent[],
  now: number,
  more?: Parameters<typeof systemChange>[2],
): StoredChange => commitChange(context, loaded.session, now, systemChange(loaded, events, more));

/** Saves a change of the row without an event: what the server remembers for itself. */
export function saveWithoutEvent(context: SessionContext, loaded: LoadedSession): void {
  context.store.transaction(() => context.store.update(loaded, rowCapacity("server", "nothing")));
}
