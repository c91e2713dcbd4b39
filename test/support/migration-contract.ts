/**
 * How every SQLite under the storage port must handle a session of another release. The first version
 * is the frozen schema of release 0.1.0; the second is invented here.
 */
import { expect } from "vitest";
import { sessionIdFromHex } from "../../src/domain/ids";
import { NEWER_DATA } from "../../src/domain/newer-data";
import { MIGRATIONS, storedVersion, type Migration } from "../../src/storage/migrations";
import { SessionStore } from "../../src/storage/session-store";
import type { SqlPort } from "../../src/storage/sql-port";
import type { StorageCase } from "./storage-contract";

const FIRST = MIGRATIONS.slice(0, 1);
const SECOND: Migration = [
  `ALTER TABLE session ADD COLUMN planted TEXT`,
  `CREATE TABLE planted (first_seq INTEGER PRIMARY KEY, at INTEGER NOT NULL)`,
  `INSERT INTO planted (first_seq, at) SELECT first_seq, at FROM commits`,
  { where: "checkpoints", run: `ALTER TABLE checkpoints ADD COLUMN planted TEXT` },
];
const PLANTED = [...FIRST, SECOND];
/** Its third step fails after the first two have run. */
const BROKEN = [...FIRST, [...SECOND.slice(0, 2), `INSERT INTO nowhere VALUES (1)`]];

const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'
  ORDER BY name`;
const SESSION = `INSERT INTO session (id, schema_version, state, paused, version, fields, field_meta,
  review, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, revoked,
  automation, children, checkpoints_made, participants)
  VALUES (1, 1, 'draft', 0, 1, '{"a":1}', '{}', '{}', '2026-05-01T00:00:00.000Z', '{}',
  '2026-05-01T00:00:00.000Z', '{}', 9000000000000, 1000, '[]', '{}', '[]', 0, '[]')`;
const COMMIT = `INSERT INTO commits (first_seq, last_seq, at, actor, state, version, trimmable, events)
  VALUES (?, ?, ?, '{}', 'draft', 1, 0, ?)`;
const COMMITS = 5;

const SESSION_ID = sessionIdFromHex("ab".repeat(32));

const tables = (sql: SqlPort): readonly unknown[] => sql.run(TABLES).map((row) => row["name"]);
const everyRow = (sql: SqlPort): unknown => [
  sql.run(`SELECT id, state, version, fields, participants, expires_at FROM session`),
  sql.run(`SELECT first_seq, last_seq, at, state, events FROM commits ORDER BY first_seq`),
];

/** Storage as the first version left it. */
function older(sql: SqlPort): unknown {
  for (const step of FIRST.flat()) sql.run(step as string);
  sql.run(SESSION);
  for (let seq = 1; seq <= COMMITS; seq++) sql.run(COMMIT, seq, seq, seq * 10, `{"seq":${seq}}`);
  return everyRow(sql);
}

/** The port, which counts how often each statement runs. */
function counting(sql: SqlPort): { readonly port: SqlPort; readonly ran: string[] } {
  const ran: string[] = [];
  const port: SqlPort = {
    run(text, ...values) {
      ran.push(text);
      return sql.run(text, ...values);
    },
    transaction: (body) => sql.transaction(body),
  };
  return { port, ran };
}

export const MIGRATION_CASES: Readonly<Record<string, StorageCase>> = {
  "older data is migrated once, by the first read, and keeps every row"(sql) {
    const before = older(sql);
    const { port, ran } = counting(sql);
    const store = new SessionStore(port, SESSION_ID, PLANTED);
    expect(storedVersion(sql)).toBe(1);

    expect(store.exists()).toBe(true);
    expect(storedVersion(sql)).toBe(2);
    expect(everyRow(sql)).toEqual(before);
    expect(sql.run(`SELECT first_seq FROM planted`)).toHaveLength(COMMITS);
    expect(store.exists()).toBe(true);
    expect(new SessionStore(port, SESSION_ID, PLANTED).exists()).toBe(true);
    expect(ran.filter((text) => text.startsWith("CREATE TABLE planted"))).toHaveLength(1);
  },

  "an optional table is migrated if it exists, and not created if it does not"(sql) {
    older(sql);
    new SessionStore(sql, SESSION_ID, PLANTED).exists();
    expect(tables(sql)).not.toContain("checkpoints");
  },

  "an optional table keeps its rows and gets its new column"(sql) {
    older(sql);
    sql.run(`CREATE TABLE checkpoints (number INTEGER PRIMARY KEY, name TEXT NOT NULL)`);
    sql.run(`INSERT INTO checkpoints (number, name) VALUES (1, 'one')`);
    new SessionStore(sql, SESSION_ID, PLANTED).exists();
    expect(sql.run(`SELECT number, name, planted FROM checkpoints`)).toEqual([
      { number: 1, name: "one", planted: null },
    ]);
  },

  "a migration that fails half-way leaves the old version unchanged, and the next may succeed"(
    sql,
  ) {
    const before = older(sql);
    const retained = tables(sql);
    const store = new SessionStore(sql, SESSION_ID, BROKEN);
    expect(() => store.exists()).toThrow(/nowhere/);
    expect(() => store.exists()).toThrow(/nowhere/);
    expect(storedVersion(sql)).toBe(1);
    expect(tables(sql)).toEqual(retained);
    expect(everyRow(sql)).toEqual(before);
    expect(() => sql.run(`SELECT planted FROM session`)).toThrow(/planted/);

    expect(new SessionStore(sql, SESSION_ID, FIRST).exists()).toBe(true);
    expect(new SessionStore(sql, SESSION_ID, PLANTED).exists()).toBe(true);
    expect(storedVersion(sql)).toBe(2);
  },

  "data of a newer release is refused and not changed"(sql) {
    older(sql);
    new SessionStore(sql, SESSION_ID, PLANTED).exists();
    const before = [tables(sql), everyRow(sql)];
    const { port, ran } = counting(sql);
    const store = new SessionStore(port, SESSION_ID, FIRST);
    expect(() => store.exists()).toThrow(NEWER_DATA);
    expect(() => store.migrate()).toThrow(NEWER_DATA);
    expect([tables(sql), everyRow(sql)]).toEqual(before);
    expect(storedVersion(sql)).toBe(2);
    expect(ran.filter((text) => !text.startsWith("SELECT"))).toEqual([]);
  },

  "a migration that was undone with its transaction runs again"(sql) {
    older(sql);
    const store = new SessionStore(sql, SESSION_ID, PLANTED);
    const attempt = (): void =>
      store.transaction(() => {
        expect(store.exists()).toBe(true);
        expect(store.exists()).toBe(true);
        throw new Error("undo");
      });
    expect(attempt).toThrow("undo");
    expect(storedVersion(sql)).toBe(1);
    expect(store.exists()).toBe(true);
    expect(storedVersion(sql)).toBe(2);
  },

  "older data is migrated for an authorized caller, and not for an unknown one"(sql) {
    const before = older(sql);
    const store = new SessionStore(sql, SESSION_ID, PLANTED);
    const enter = (ok: boolean) => store.migrateIfAccepted(() => ({ ok, found: store.exists() }));
    expect(enter(false)).toEqual({ ok: false, found: true });
    expect(storedVersion(sql)).toBe(1);
    expect(everyRow(sql)).toEqual(before);
    expect(enter(true)).toEqual({ ok: true, found: true });
    expect(storedVersion(sql)).toBe(2);
  },
};
