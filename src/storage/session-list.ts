/**
 * What an owner's directory stores of each session, and the numbered changes. Texts are masked and
 * words hashed, so the bytes of deleted rows in the database file reveal nothing. Tables are
 * created with the first session, never by a query.
 */
import { LazyTable } from "./lazy-table";
import type { SqlPort, SqlRow, SqlValue } from "./sql-port";
import { StateHistory, type StateCounts } from "./state-history";

const TABLES = [
  // Numbers grow with the time of creation, so the order of every index that ends in them is "newest".
  `CREATE TABLE sessions (
    number INTEGER PRIMARY KEY, object_id TEXT NOT NULL, seq INTEGER NOT NULL,
    state TEXT NOT NULL, waiting_for TEXT, waiting_since INTEGER, changed_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, external TEXT, nth INTEGER, text_hash TEXT NOT NULL,
    body BLOB NOT NULL
  )`,
  `CREATE UNIQUE INDEX sessions_by_object ON sessions (object_id)`,
  `CREATE INDEX sessions_by_state ON sessions (state)`,
  `CREATE INDEX sessions_by_waiting ON sessions (waiting_for, waiting_since) WHERE waiting_for IS NOT NULL`,
  // The index above finds the longest waits, this one is in the order of the list.
  `CREATE INDEX sessions_by_waiter ON sessions (waiting_for) WHERE waiting_for IS NOT NULL`,
  `CREATE INDEX sessions_by_change ON sessions (changed_at)`,
  `CREATE INDEX sessions_by_external ON sessions (external) WHERE external IS NOT NULL`,
  `CREATE TABLE labels (hash TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (hash, number)) WITHOUT ROWID`,
  `CREATE INDEX labels_by_number ON labels (number)`,
  `CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, detail=none)`,
  `CREATE TABLE counts (state TEXT NOT NULL, waiting TEXT NOT NULL, n INTEGER NOT NULL,
    PRIMARY KEY (state, waiting)) WITHOUT ROWID`,
  `CREATE TABLE changes (
    number INTEGER PRIMARY KEY, object_id TEXT NOT NULL, seq INTEGER NOT NULL, state TEXT,
    waiting_for TEXT, waiting_since INTEGER, changed_at INTEGER NOT NULL, expires_at INTEGER
  )`,
  `CREATE TABLE removed (object_id TEXT PRIMARY KEY) WITHOUT ROWID`,
  `CREATE TABLE names (hash TEXT PRIMARY KEY, nth INTEGER NOT NULL) WITHOUT ROWID`,
];

const SQL = {
  byObject: `SELECT number, seq, state, waiting_for, external, nth, text_hash FROM sessions WHERE object_id = ?`,
  isTaken: `SELECT 1 FROM sessions WHERE number = ?`,
  insert: `INSERT INTO sessions (number, object_id, seq, state, waiting_for, waiting_since, changed_at,
    expires_at, external, nth, text_hash, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  update: `UPDATE sessions SET seq = ?, state = ?, waiting_for = ?, waiting_since = ?, changed_at = ?,
    expires_at = ? WHERE number = ?`,
  updateText: `UPDATE sessions SET text_hash = ?, body = ? WHERE number = ?`,
  remove: `DELETE FROM sessions WHERE number = ?`,
  addLabel: `INSERT INTO labels (hash, number) VALUES (?, ?) ON CONFLICT DO NOTHING`,
  dropLabels: `DELETE FROM labels WHERE number = ?`,
  addWords: `INSERT INTO words (rowid, text) VALUES (?, ?)`,
  dropWords: `DELETE FROM words WHERE rowid = ?`,
  count: `INSERT INTO counts (state, waiting, n) VALUES (?, ?, ?)
    ON CONFLICT (state, waiting) DO UPDATE SET n = n + excluded.n`,
  counts: `SELECT state, waiting, n FROM counts WHERE n > 0`,
  lastChange: `SELECT MAX(number) AS number FROM changes`,
  firstChange: `SELECT MIN(number) AS number FROM changes`,
  addChange: `INSERT INTO changes (number, object_id, seq, state, waiting_for, waiting_since, changed_at,
    expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  dropChange: `DELETE FROM changes WHERE number <= ? RETURNING object_id, state`,
  isRemoved: `SELECT 1 FROM removed WHERE object_id = ?`,
  addRemoved: `INSERT INTO removed (object_id) VALUES (?) ON CONFLICT DO NOTHING`,
  dropRemoved: `DELETE FROM removed WHERE object_id = ?`,
  keepName: `INSERT INTO names (hash, nth) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET nth = excluded.nth`,
  currentNth: `SELECT MAX(nth) AS nth FROM sessions WHERE external = ?`,
  name: `SELECT nth FROM names WHERE hash = ?`,
  createdSince: `SELECT COUNT(*) AS n FROM (SELECT 1 FROM sessions WHERE number >= ? LIMIT ?)`,
} as const;

/** A session as it was reported, with its texts masked. */
export interface ListedSession {
  readonly objectIdHex: string;
  readonly createdAt: number;
  readonly seq: number;
  readonly state: string;
  readonly waiting: { readonly for: string; readonly since: number } | null;
  readonly changedAt: number;
  readonly expiresAt: number;
  readonly external: string | null;
  readonly nth: number | null;
  readonly textHash: string;
  readonly labels: readonly string[];
  readonly words: string;
  readonly body: Uint8Array;
}

/** Number of sessions per millisecond with distinct numbers. */
const PER_MS = 4096;
/** Changes that a follower can catch up with; one that was away longer starts with the list. */
const MAX_CHANGES = 100_000;

export const firstNumberAt = (createdAt: number): number => createdAt * PER_MS;
export const createdAtOf = (number: number): number => Math.floor(number / PER_MS);

export class SessionList extends LazyTable {
  protected readonly create = TABLES;
  #lastChange: number | null = null;

  readonly history: StateHistory;

  constructor(sql: SqlPort) {
    super(sql);
    this.history = new StateHistory(sql);
  }

  /** False if this seq or a later one is known already, or the session was removed. */
  put(session: ListedSession, now: number): boolean {
    return this.transaction(() => {
      this.ensureTable();
      const { objectIdHex, seq, state, waiting, changedAt, expiresAt } = session;
      if (this.run(SQL.isRemoved, objectIdHex).length > 0) return false;
      const known = this.run(SQL.byObject, objectIdHex)[0];
      if (known !== undefined && Number(known["seq"]) >= seq) return false;
      this.history.recordHour(now, () => this.states());
      const times = [waiting?.for ?? null, waiting?.since ?? null, changedAt, expiresAt] as const;
      if (known === undefined) this.#insert(session, times);
      else {
        const number = Number(known["number"]);
        this.run(SQL.update, seq, state, ...times, number);
        if (known["text_hash"] !== session.textHash) this.#putText(session, number);
        this.#count(known["state"], known["waiting_for"], -1);
      }
      this.#count(state, waiting?.for ?? null, 1);
      this.#change(objectIdHex, seq, state, ...times);
      return true;
    });
  }

  #insert(session: ListedSession, times: readonly (string | number | null)[]): void {
    const { objectIdHex, seq, state, external, nth, textHash, body, createdAt } = session;
    let number = firstNumberAt(createdAt) + (Number.parseInt(objectIdHex.slice(0, 3), 16) % PER_MS);
    while (this.run(SQL.isTaken, number).length > 0) number += 1;
    const texts = [external, nth, textHash, body] as const;
    this.run(SQL.insert, number, objectIdHex, seq, state, ...times, ...texts);
    this.#index(session, number);
  }

  #putText(session: ListedSession, number: number): void {
    this.run(SQL.updateText, session.textHash, session.body, number);
    this.run(SQL.dropLabels, number);
    this.run(SQL.dropWords, number);
    this.#index(session, number);
  }

  #index({ labels, words }: ListedSession, number: number): void {
    for (const label of labels) this.run(SQL.addLabel, label, number);
    if (words !== "") this.run(SQL.addWords, number, words);
  }

  /** Idempotent. Later messages of the session are ignored. */
  remove(objectIdHex: string, now: number): boolean {
    return this.transaction(() => {
      this.ensureTable();
      if (this.run(SQL.isRemoved, objectIdHex).length > 0) return false;
      this.run(SQL.addRemoved, objectIdHex);
      const known = this.run(SQL.byObject, objectIdHex)[0];
      if (known === undefined) return false;
      const number = Number(known["number"]);
      this.history.recordHour(now, () => this.states());
      this.run(SQL.remove, number);
      this.run(SQL.dropLabels, number);
      this.run(SQL.dropWords, number);
      this.#count(known["state"], known["waiting_for"], -1);
      if (known["external"] !== null) {
        this.run(SQL.keepName, String(known["external"]), Number(known["nth"]) + 1);
      }
      this.#change(objectIdHex, Number(known["seq"]), null, null, null, now, null);
      return true;
    });
  }

  #count(state: unknown, waiting: unknown, by: number): void {
    this.run(SQL.count, String(state), waiting === null ? "" : String(waiting), by);
  }

  #change(...values: readonly (string | number | null)[]): void {
    const number = this.lastChange() + 1;
    this.run(SQL.addChange, number, ...values);
    this.#lastChange = number;
    for (const row of this.run(SQL.dropChange, number - MAX_CHANGES)) {
      if (row["state"] === null) this.run(SQL.dropRemoved, String(row["object_id"]));
    }
  }

  /** Number of the newest change; 0 before the first. */
  lastChange(): number {
    if (!this.exists()) return 0;
    this.#lastChange ??= Number(this.run(SQL.lastChange)[0]?.["number"] ?? 0);
    return this.#lastChange;
  }

  /** The oldest stored change has the number after this one. */
  changeFloor(): number {
    return Math.max(0, Number(this.row(SQL.firstChange)?.["number"] ?? 1) - 1);
  }

  counts(): readonly { readonly state: string; readonly waiting: string; readonly n: number }[] {
    return this.rows(SQL.counts).map((row) => ({
      state: String(row["state"]),
      waiting: String(row["waiting"]),
      n: Number(row["n"]),
    }));
  }

  /** Number of sessions in each state. */
  states(): StateCounts {
    const sums: Record<string, number> = {};
    for (const { state, n } of this.counts()) sums[state] = (sums[state] ?? 0) + n;
    return sums;
  }

  /** The object to try first for this external id. Only a hint: the objects themselves know. */
  nthOf(external: string): number {
    if (!this.exists()) return 0;
    const current = this.run(SQL.currentNth, external)[0]?.["nth"];
    if (typeof current === "number") return current;
    return Number(this.run(SQL.name, external)[0]?.["nth"] ?? 0);
  }

  has(objectIdHex: string): boolean {
    return this.rows(SQL.byObject, objectIdHex).length > 0;
  }

  /** Number of sessions created since, counted up to a limit. */
  createdSince(time: number, limit: number): number {
    return Number(this.row(SQL.createdSince, firstNumberAt(time), limit)?.["n"] ?? 0);
  }

  /** For the queries of session-query.ts. */
  override rows(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
    return super.rows(sql, ...values);
  }
}
