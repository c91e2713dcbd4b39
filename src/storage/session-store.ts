/**
 * One session's rows: one for the session with everybody in it, one a commit. Reads write nothing.
 * The caller decides what a transaction is. An append's commit is its only row, so the head is read
 * off the log itself.
 */
import type { IssuedToken } from "../domain/admission";
import type { Commit } from "../domain/commit";
import { isTrimmable } from "../domain/event";
import type { ChildPlan } from "../domain/fork";
import type { RequestHash, TokenHash } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import { isNumbered } from "../domain/job-rules";
import type { Participant } from "../domain/participant";
import type { Session } from "../domain/session";
import { migrate, MIGRATIONS, storedVersion, type Migration } from "./migrations";
import {
  bytesOrNull,
  changingValues,
  fixedValues,
  participantsText,
  planText,
  textOf,
  toParticipants,
  toPlan,
  toSession,
} from "./rows";
import { assertFits, unitsOf } from "./row-size";
import type { SqlPort, SqlRow } from "./sql-port";

const SQL = {
  session: `SELECT state, paused, version, title, fields, field_meta, review, next_step, schema,
    created_at, created_by, updated_at, updated_by, expires_at, retention_ms, ended_at, revoked,
    policy, automation, parent, children, checkpoints_made, trimmed, participants, plan
    FROM session WHERE id = 1`,
  insertSession: `INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review,
    next_step, updated_at, updated_by, expires_at, ended_at, revoked, automation,
    children, checkpoints_made, trimmed, participants, plan,
    schema, created_at, created_by, retention_ms, policy, parent, create_request, create_sealed)
    VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateSession: `UPDATE session SET state = ?, paused = ?, version = ?, title = ?, fields = ?,
    field_meta = ?, review = ?, next_step = ?, updated_at = ?, updated_by = ?, expires_at = ?,
    ended_at = ?, revoked = ?, automation = ?, children = ?, checkpoints_made = ?, trimmed = ?,
    participants = ?, plan = ? WHERE id = 1`,
  createRecord: `SELECT create_request, create_sealed, created_at FROM session WHERE id = 1`,
  head: `SELECT last_seq FROM commits ORDER BY first_seq DESC LIMIT 1`,
  issued: `SELECT issued FROM commits WHERE first_seq = ?`,
  insertCommit: `INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version,
    trimmable, job_seq, issued, append_key, append_request, events)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  jobHead: `SELECT job_seq FROM commits ORDER BY first_seq DESC LIMIT 1`,
  jobSeqAt: `SELECT job_seq FROM commits WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1`,
  trimmableUpTo: `SELECT MAX(last_seq) AS floor FROM commits WHERE last_seq <= ? AND trimmable = 1`,
  // A keyed append is spared as long as its key is remembered: repeated, it must not happen again.
  trim: `DELETE FROM commits WHERE last_seq <= ? AND trimmable = 1 AND (append_key IS NULL OR
    first_seq < (SELECT MIN(first_seq) FROM
      (SELECT first_seq FROM commits ORDER BY first_seq DESC LIMIT ?)))`,
  commitAt: `SELECT first_seq, last_seq, at, actor, octet_length(events) AS bytes, events FROM commits
    WHERE first_seq = ?`,
  appendByKey: `SELECT first_seq, last_seq, append_request FROM
    (SELECT first_seq, last_seq, participant, append_key, append_request FROM commits
     ORDER BY first_seq DESC LIMIT ?)
    WHERE participant = ? AND append_key = ? LIMIT 1`,
  // The commit that holds seq k+1 may have begun earlier; it is the last that begins at or before it.
  commitHolding: `SELECT first_seq FROM commits WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1`,
  commitsFrom: `SELECT first_seq, last_seq, at, actor, octet_length(events) AS bytes, events FROM commits
    WHERE first_seq >= ? ORDER BY first_seq LIMIT ?`,
} as const;

export interface Loaded {
  readonly session: Session;
  readonly participants: readonly Participant[];
  /** A child that is promised and not yet known to exist. */
  readonly plan: ChildPlan | null;
}

export interface CommitRecord {
  readonly commit: Commit;
  /** The commit's events as `encodeEvents` writes them: made once, measured, then stored. */
  readonly text: string;
  readonly at: number;
  readonly participant: number | null;
  readonly issued: readonly IssuedToken[];
  readonly append?: { readonly key: string; readonly request: RequestHash } | undefined;
}

export interface StoredCommit {
  readonly first: number;
  readonly last: number;
  readonly at: number;
  readonly actorText: string;
  readonly bytes: number;
  /** One line of JSON an event, exactly as sent. */
  readonly lines: string;
}

export interface CreateRecord {
  readonly request: RequestHash | null;
  readonly sealed: Uint8Array | null;
  readonly createdAt: number;
}

/** Commits fetched at once: few, because one row can hold two megabytes, and more while they are small. */
const READ_AHEAD = 16;
const READ_AHEAD_MOST = 256;
const SMALL_BATCH_BYTES = 256 * 1024;

/** Carries a result out of a transaction that is to be undone. */
class Undone<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super("undone");
    this.result = result;
  }
}

/** A session larger than this is read anew each time: many objects share one isolate's memory. */
const KEPT_UNITS_MOST = 128 * 1024;

/**
 * Keeps what it last read or wrote, because nobody else writes here. A transaction that fails makes
 * it forget, and so does the platform, which ends an instance whose writes did not reach the disk.
 */
export class SessionStore {
  readonly #sql: SqlPort;
  readonly #migrations: readonly Migration[];
  /** A session lives here, in the tables that this code knows. */
  #isCurrent = false;
  #kept: Loaded | null = null;
  #head: number | null = null;
  #jobHead: number | null = null;

  constructor(sql: SqlPort, migrations: readonly Migration[] = MIGRATIONS) {
    this.#sql = sql;
    this.#migrations = migrations;
  }

  /** Does a session live here? Older data is brought up to date; where there is none, none is made. */
  exists(): boolean {
    if (this.#isCurrent) return true;
    const version = storedVersion(this.#sql);
    if (version === 0) return false;
    // A transaction that undoes a migration makes this forgotten too.
    if (version === this.#migrations.length) this.#isCurrent = true;
    else migrate(this.#sql, version, this.#migrations);
    return true;
  }

  /** Looks at a session that may be older. For a stranger nothing of it is changed, not even its age. */
  enter<T extends { readonly ok: boolean }>(look: () => T): T {
    if (this.#isCurrent) return look();
    try {
      return this.transaction(() => {
        const result = look();
        if (!result.ok) throw new Undone(result);
        return result;
      });
    } catch (error) {
      if (error instanceof Undone) return error.result as T;
      throw error;
    }
  }

  /** Brings older data to the present tables; for a new session creates them. */
  migrate(): void {
    migrate(this.#sql, storedVersion(this.#sql), this.#migrations);
  }

  /** After storage was emptied. */
  forget(): void {
    this.#keepNothing();
  }

  transaction<T>(body: () => T): T {
    try {
      return this.#sql.transaction(body);
    } catch (error) {
      this.#keepNothing();
      throw error;
    }
  }

  #keepNothing(): void {
    this.#isCurrent = false;
    this.#kept = null;
    this.#head = null;
    this.#jobHead = null;
  }

  #keep({ session, participants, plan }: Loaded, units: number): void {
    this.#kept = units <= KEPT_UNITS_MOST ? { session, participants, plan } : null;
  }

  /** The session and everybody in it: one row. */
  load(): Loaded | null {
    if (this.#kept !== null) return this.#kept;
    const row = this.#sql.run(SQL.session)[0];
    if (row === undefined) return null;
    const units = Object.values(row).reduce<number>((sum, cell) => sum + unitsOf(cell), 0);
    const loaded = {
      session: toSession(row),
      participants: toParticipants(row),
      plan: toPlan(row),
    };
    this.#keep(loaded, units);
    return loaded;
  }

  insert(loaded: Loaded, created: Omit<CreateRecord, "createdAt">): void {
    const { session, participants, plan } = loaded;
    const values = [
      ...changingValues(session),
      participantsText(participants),
      planText(plan),
      ...fixedValues(session),
    ];
    const units = assertFits(values, "the session as it would be stored");
    const version = this.#migrations.length;
    this.#sql.run(SQL.insertSession, version, ...values, created.request, created.sealed);
    this.#keep(loaded, units);
  }

  /** What adds no content may use the reserve: a full session can still be ended. */
  update(loaded: Loaded, isAdding = true): void {
    const { session, participants, plan } = loaded;
    const people = participantsText(participants);
    const values = [...changingValues(session), people, planText(plan)];
    const limit = LIMITS.rowBytes + (isAdding ? 0 : LIMITS.rowReserveBytes);
    const whole = [...values, textOf(session.schema)];
    const units = assertFits(whole, "the session as it would be stored", limit);
    this.#sql.run(SQL.updateSession, ...values);
    this.#keep(loaded, units);
  }

  createRecord(): CreateRecord | null {
    const row = this.#sql.run(SQL.createRecord)[0];
    if (row === undefined) return null;
    return {
      request: row["create_request"] as RequestHash | null,
      sealed: bytesOrNull(row["create_sealed"]),
      createdAt: Date.parse(row["created_at"] as string),
    };
  }

  head(): number {
    return (this.#head ??= Number(this.#sql.run(SQL.head)[0]?.["last_seq"] ?? 0));
  }

  /** Tokens issued by the commit that begins at `seq`: how a spent token is told from a false one. */
  issuedAt(seq: number): readonly IssuedToken[] {
    const issued = this.#sql.run(SQL.issued, seq)[0]?.["issued"];
    if (typeof issued !== "string") return [];
    return (JSON.parse(issued) as readonly [number, TokenHash][]).map(([participant, hash]) => ({
      participant,
      hash,
    }));
  }

  insertCommit({ commit, text, at, participant, issued, append }: CommitRecord): void {
    const { first, last, actor, events, session } = commit;
    assertFits([text], "what this request would write");
    const jobHead =
      (events.findLast(({ type }) => isNumbered(type))?.payload["eventSeq"] as number) ??
      this.jobHead();
    this.#sql.run(
      SQL.insertCommit,
      first,
      last,
      at,
      participant,
      JSON.stringify(actor),
      session.state,
      session.version,
      events.every(({ type }) => isTrimmable(type)) ? 1 : 0,
      jobHead,
      issued.length === 0 ? null : JSON.stringify(issued.map((one) => [one.participant, one.hash])),
      append?.key ?? null,
      append?.request ?? null,
      text,
    );
    this.#head = last;
    this.#jobHead = jobHead;
  }

  /** The number of the last event of any job, in the numbering that jobs have of their own. */
  jobHead(): number {
    return (this.#jobHead ??= Number(this.#sql.run(SQL.jobHead)[0]?.["job_seq"] ?? 0));
  }

  /**
   * The first commit after which more than `number` events of jobs had happened. Found by halving,
   * because that number only grows along the log: it needs no index.
   */
  commitPastJobEvent(number: number): StoredCommit | null {
    let low = 1;
    let high = this.head() + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const reached = Number(this.#sql.run(SQL.jobSeqAt, middle)[0]?.["job_seq"] ?? 0);
      if (reached > number) high = middle;
      else low = middle + 1;
    }
    return this.commitAt(low);
  }

  /** The last seq up to `seq` that trimming would remove, or null. */
  trimmableUpTo(seq: number): number | null {
    const floor = this.#sql.run(SQL.trimmableUpTo, seq)[0]?.["floor"];
    return typeof floor === "number" ? floor : null;
  }

  /** Removes commits that hold nothing but client and job events, but for remembered keys. */
  trim(upTo: number): void {
    this.#sql.run(SQL.trim, upTo, LIMITS.appendMemory);
  }

  /** The commit that begins at `seq`. */
  commitAt(seq: number): StoredCommit | null {
    const row = this.#sql.run(SQL.commitAt, seq)[0];
    return row === undefined ? null : toStoredCommit(row);
  }

  /** The participant's append with this key, among the session's last commits. */
  appendByKey(
    participant: number,
    key: string,
  ): { readonly first: number; readonly last: number; readonly request: RequestHash } | null {
    const row = this.#sql.run(SQL.appendByKey, LIMITS.appendMemory, participant, key)[0];
    if (row === undefined) return null;
    return {
      first: Number(row["first_seq"]),
      last: Number(row["last_seq"]),
      request: row["append_request"] as RequestHash,
    };
  }

  /** Commits that hold anything after `seq`, in order, fetched as they are consumed. */
  *commitsAfter(seq: number): Generator<StoredCommit> {
    const holding = this.#sql.run(SQL.commitHolding, seq + 1)[0];
    let from = Number(holding?.["first_seq"] ?? 0);
    for (let ahead = READ_AHEAD; ; ) {
      const rows = this.#sql.run(SQL.commitsFrom, from, ahead);
      let bytes = 0;
      for (const row of rows) {
        const commit = toStoredCommit(row);
        if (commit.last > seq) yield commit;
        from = commit.first + 1;
        bytes += commit.bytes;
      }
      if (rows.length < ahead) return;
      ahead = bytes < SMALL_BATCH_BYTES ? Math.min(ahead * 4, READ_AHEAD_MOST) : READ_AHEAD;
    }
  }
}

const toStoredCommit = (row: SqlRow): StoredCommit => ({
  first: Number(row["first_seq"]),
  last: Number(row["last_seq"]),
  at: Number(row["at"]),
  actorText: row["actor"] as string,
  bytes: Number(row["bytes"]),
  lines: row["events"] as string,
});
