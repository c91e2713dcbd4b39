/**
 * The one way into the log. A change is numbered, encoded and stored in one transaction,
 * together with the rows that change with it, and announced once that has succeeded. Nothing else
 * inserts a commit or announces one: what listeners hear of is exactly what is stored.
 */
import type { IssuedToken } from "../domain/participants/admission";
import { SYSTEM, type Actor } from "../domain/participants/actor";
import { numberBatch, type EventBatch } from "../domain/log/append";
import { numberEvents, type Commit } from "../domain/log/commit";
import type { UnnumberedEvent } from "../domain/log/event";
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

/** Whose a change is. */
export interface Author {
  /** Null for the server, for keys and for executors. */
  readonly number: number | null;
  readonly actor: Actor;
  /** By which it finds room in the log; null for the server, which always does. */
  readonly scopes: readonly Scope[] | null;
}

interface Change {
  readonly by: Author;
  /** What happened. */
  readonly facts: readonly UnnumberedEvent[] | EventBatch;
  readonly trace?: Trace | undefined;
  readonly issued?: readonly IssuedToken[];
  /** By which the same request is known again. */
  readonly key?: RequestKey | null;
  /** Of what is kept beside the log, also after a trim: it counts as the log does. */
  readonly besideBytes?: number;
  /** Stores the rows of jobs, files and copies that belong to it, before the commit itself. */
  readonly beside?: ((commit: Commit) => void) | undefined;
  /** What of the session's row changes beside the session; absent: the row stays as it is. */
  readonly row?: RowChange;
}

interface RowChange extends Pick<LoadedSession, "plan"> {
  /** Where they depend on the commit, asked once it is in the log. */
  readonly participants:
    | LoadedSession["participants"]
    | ((commit: Commit) => LoadedSession["participants"]);
  readonly adds: Addition;
}

interface Stored {
  readonly commit: Commit;
  /** The session's row, where it changed. */
  readonly loaded: LoadedSession | null;
}

/** `before` is the session that the change meets; null for the one that creates it. */
export function commitChange(
  context: SessionContext,
  before: Session | null,
  now: number,
  change: Change,
): Stored {
  const { store } = context;
  const records: CommitRecord[] = [];
  const storeOne = (one: Change, session: Session | null): Stored => {
    // Before the first there are not even tables.
    const head = session === null ? 0 : store.head();
    const record = numbered(one, session, head, now);
    one.beside?.(record.commit);
    store.insertCommit(record);
    const loaded = one.row === undefined ? null : rowAfter(record.commit, one.row);
    if (!("payloads" in one.facts)) enqueueMessages(context, session, record, loaded);
    if (loaded !== null)
      store.update(loaded, rowCapacity(record.writer, one.row?.adds ?? "content"));
    records.push(record);
    return { commit: record.commit, loaded };
  };
  const isUse = before !== null && change.by.number !== null;
  const mayMoveEnd = isUse && endAfterUse(before, now) !== null;
  const storeAll = (): Stored => {
    const { commit, loaded } = storeOne(change, before);
    const row = mayMoveEnd ? (loaded ?? store.load()) : null;
    const end = endAfterUse(commit.session, now);
    if (end === null || row === null) return { commit, loaded };
    // Who asked for the change is shown the session as it is after both.
    return { commit, loaded: storeOne(movingEnd(row, end), commit.session).loaded };
  };
  const isOneStatement = !mayMoveEnd && change.row === undefined && change.beside === undefined;
  const stored = isOneStatement ? store.withCacheReset(storeAll) : store.transaction(storeAll);
  for (const record of records) context.announce(record);
  return stored;
}

const rowAfter = (commit: Commit, { participants, plan }: RowChange): LoadedSession => ({
  session: commit.session,
  participants: typeof participants === "function" ? participants(commit) : participants,
  plan,
});

/** A session that lives as long as it is used, and was used. */
const movingEnd = (loaded: LoadedSession, end: number): Change =>
  bySystem(loaded, [
    {
      type: "session.extended",
      payload: {
        from: new Date(loaded.session.expiresAt).toISOString(),
        expiresAt: new Date(end).toISOString(),
        because: "use",
      },
    },
  ]);

function numbered(
  { by, facts, trace, issued = [], key, besideBytes = 0 }: Change,
  before: Session | null,
  head: number,
  now: number,
): CommitRecord {
  const written =
    "payloads" in facts
      ? numberedBatch(facts, before, head, by.actor, now)
      : encoded(numberEvents(before, head, facts, by.actor, now));
  return {
    commit: written.commit,
    text: withTrace(written.text, trace ?? null),
    at: now,
    participant: by.number,
    writer: writerOf(by.scopes),
    besideBytes,
    issued,
    append: key == null ? undefined : { key: key.hash, request: key.request },
  };
}

type Written = Pick<CommitRecord, "commit" | "text">;

const encoded = (done: Commit): Written => ({ commit: done, text: encodeEvents(done.events) });

/** Client events change nothing of the session, so they are never more than text. */
function numberedBatch(
  batch: EventBatch,
  session: Session | null,
  head: number,
  actor: Actor,
  now: number,
): Written {
  if (session === null) throw new Error("a session is not begun by client events");
  const text = numberBatch(batch, session, head, actor, new Date(now).toISOString());
  const last = head + batch.count;
  return { commit: { first: head + 1, last, actor, events: [], session }, text };
}

export const SERVER: Author = { number: null, actor: SYSTEM, scopes: null };

/** What the server says by itself. It adds no content, so that a full session can still be told of it. */
const bySystem = (
  loaded: LoadedSession,
  facts: readonly UnnumberedEvent[],
  {
    beside,
    participants = loaded.participants,
  }: Pick<Change, "beside"> & Partial<LoadedSession> = {},
): Change => ({
  by: SERVER,
  facts,
  beside,
  row: { participants, plan: loaded.plan, adds: "nothing" },
});

export const commitBySystem = (
  context: SessionContext,
  loaded: LoadedSession,
  facts: readonly UnnumberedEvent[],
  now: number,
  more?: Parameters<typeof bySystem>[2],
): Stored => commitChange(context, loaded.session, now, bySystem(loaded, facts, more));

/** Rows that change without anything to tell: what the server remembers for itself. */
export function saveWithoutEvent(context: SessionContext, loaded: LoadedSession): void {
  context.store.transaction(() => context.store.update(loaded, rowCapacity("server", "nothing")));
}
