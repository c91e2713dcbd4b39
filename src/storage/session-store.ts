/**
 * One session's rows: one for the session with its participants, and its log. Reads write nothing.
 * The caller decides what a transaction is.
 */
import type { ChildPlan } from "../domain/checkpoints/fork";
import type { RequestHash } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import type { OutboxState } from "../domain/owners/outbox";
import type { Participant } from "../domain/participants/participant";
import type { Session } from "../domain/session/session";
import { migrate, MIGRATIONS, storedVersion, type Migration } from "./migrations";
import { CommitLog } from "./commit-log";
import { bytesOrNull, jsonText } from "./cells";
import { outboxText, participantsText, toOutbox, toParticipants, toPlan } from "./session-row";
import { assertFits, unitsOf } from "./row-size";
import { CHANGING_COLUMNS, SESSION_COLUMNS } from "./session-columns";
import type { SqlPort } from "./sql-port";

const INSERTED = [
  "id",
  "schema_version",
  ...SESSION_COLUMNS.names,
  "participants",
  "plan",
  "create_request",
  "create_sealed",
];
const UPDATED = [...CHANGING_COLUMNS.names, "participants", "plan", "news"];

const SQL = {
  session: `SELECT ${[...SESSION_COLUMNS.names, "participants", "plan", "news"].join()} FROM session WHERE id = 1`,
  insertSession: `INSERT INTO session (${INSERTED.join()}) VALUES (${INSERTED.map(() => "?").join()})`,
  updateSession: `UPDATE session SET ${UPDATED.map((name) => `${name} = ?`).join()} WHERE id = 1`,
  news: `SELECT news FROM session WHERE id = 1`,
  updateNews: `UPDATE session SET news = ? WHERE id = 1`,
  createRecord: `SELECT create_request, create_sealed, created_at FROM session WHERE id = 1`,
} as const;

export interface LoadedSession {
  readonly session: Session;
  readonly participants: readonly Participant[];
  /** A child of a committed fork that is not yet known to exist. */
  readonly plan: ChildPlan | null;
}

interface CreateRecord {
  readonly request: RequestHash | null;
  readonly sealed: Uint8Array | null;
  readonly createdAt: number;
}

/** Carries a result out of a transaction that is rolled back. */
class RolledBack<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super("undone");
    this.result = result;
  }
}

/** A larger session is read from the row each time: many objects share one isolate's memory. */
const MAX_CACHED_UNITS = 128 * 1024;

/**
 * Caches what it last read or wrote, because no other code writes here. A failed transaction clears
 * the cache, and so does the platform, which ends an instance whose writes did not reach the disk.
 */
export class SessionStore extends CommitLog {
  readonly #migrations: readonly Migration[];
  /** A session is stored here, in the current tables. */
  #isCurrent = false;
  #cached: LoadedSession | null = null;
  #outbox: OutboxState | null = null;

  constructor(sql: SqlPort, id: string, migrations: readonly Migration[] = MIGRATIONS) {
    super(sql, id);
    this.#migrations = migrations;
  }

  /** Is a session stored here? Older data is migrated; for an empty object no table is created. */
  exists(): boolean {
    if (this.#isCurrent) return true;
    const version = storedVersion(this.sql);
    if (version === 0) return false;
    // A transaction that rolls back a migration resets this too.
    if (version === this.#migrations.length) this.#isCurrent = true;
    else migrate(this.sql, version, this.id, this.#migrations);
    return true;
  }

  /**
   * Reads a session that may need a migration. If the caller is refused, the migration is rolled
   * back too.
   */
  migrateIfAccepted<T extends { readonly ok: boolean }>(read: () => T): T {
    if (this.#isCurrent) return read();
    try {
      return this.transaction(() => {
        const result = read();
        if (!result.ok) throw new RolledBack(result);
        return result;
      });
    } catch (error) {
      if (error instanceof RolledBack) return error.result as T;
      throw error;
    }
  }

  /** Migrates older data to the current tables; for a new session creates them. */
  migrate(): void {
    migrate(this.sql, storedVersion(this.sql), this.id, this.#migrations);
  }

  transaction<T>(body: () => T): T {
    return this.withCacheReset(() => this.sql.transaction(body));
  }

  /**
   * If the body fails, nothing stays in memory that is not stored. Used alone only for a body of at
   * most one statement, which is atomic; otherwise use `transaction`.
   */
  withCacheReset<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      this.resetCache();
      throw error;
    }
  }

  /** Called after the storage was emptied, or a write failed. */
  resetCache(): void {
    this.#isCurrent = false;
    this.#cached = null;
    this.#outbox = null;
    this.resetLogCache();
  }

  #cache({ session, participants, plan }: LoadedSession, units: number): void {
    this.#cached = units <= MAX_CACHED_UNITS ? { session, participants, plan } : null;
  }

  /** The session and its participants: one row. */
  load(): LoadedSession | null {
    if (this.#cached !== null) return this.#cached;
    const row = this.sql.run(SQL.session)[0];
    if (row === undefined) return null;
    const units = Object.values(row).reduce<number>((sum, cell) => sum + unitsOf(cell), 0);
    const loaded = {
      session: SESSION_COLUMNS.read(row),
      participants: toParticipants(row),
      plan: toPlan(row),
    };
    this.#cache(loaded, units);
    this.#outbox = toOutbox(row["news"]);
    return loaded;
  }

  /** Messages to other objects, and what they are derived from. */
  outbox(): OutboxState {
    this.#outbox ??= toOutbox(this.sql.run(SQL.news)[0]?.["news"]);
    return this.#outbox;
  }

  /**
   * Stored with the session's row if that is written next in the same transaction, otherwise at
   * once.
   */
  saveOutbox(outbox: OutboxState, withRow: boolean): void {
    if (!withRow) this.sql.run(SQL.updateNews, outboxText(outbox));
    this.#outbox = outbox;
  }

  insert(loaded: LoadedSession, created: Omit<CreateRecord, "createdAt">): void {
    const { session, participants, plan } = loaded;
    const values = [
      ...SESSION_COLUMNS.values(session),
      participantsText(participants),
      jsonText(plan),
    ];
    const units = assertFits(values, "the session as it would be stored");
    const version = this.#migrations.length;
    this.sql.run(SQL.insertSession, 1, version, ...values, created.request, created.sealed);
    this.#cache(loaded, units);
  }

  update(loaded: LoadedSession, limit: number = LIMITS.rowBytes): void {
    const { session, participants, plan } = loaded;
    const participantsJson = participantsText(participants);
    const values = [
      ...CHANGING_COLUMNS.values(session),
      participantsJson,
      jsonText(plan),
      outboxText(this.outbox()),
    ];
    const whole = [...values, jsonText(session.schema)];
    const units = assertFits(whole, "the session as it would be stored", limit);
    this.sql.run(SQL.updateSession, ...values);
    this.#cache(loaded, units);
  }

  createRecord(): CreateRecord | null {
    const row = this.sql.run(SQL.createRecord)[0];
    if (row === undefined) return null;
    return {
      request: row["create_request"] as RequestHash | null,
      sealed: bytesOrNull(row["create_sealed"]),
      createdAt: Date.parse(row["created_at"] as string),
    };
  }
}
