/** Reads everything that a session's storage holds, on whichever SQLite it is. */
import { fold } from "../../../src/domain/log/apply";
import type { LogEvent } from "../../../src/domain/log/event";
import { SessionStore } from "../../../src/storage/session-store";
import type { SqlPort } from "../../../src/storage/sql-port";
import type { StoredState } from "./driver.ts";
import type { LoggedCommit, LoggedEvent } from "./history.ts";

/** Keeps what a trim removes, in the same transaction, so that the whole log can be checked. */
export const KEEP_TRIMMED = [
  `CREATE TABLE IF NOT EXISTS trimmed (first_seq, last_seq, participant, events)`,
  `CREATE TRIGGER IF NOT EXISTS keep_trimmed AFTER DELETE ON commits BEGIN
    INSERT INTO trimmed VALUES (OLD.first_seq, OLD.last_seq, OLD.participant, OLD.events);
  END`,
];

/** Tables of the platform start with `_cf_`. */
const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' ORDER BY name`;

export const tablesIn = (sql: SqlPort): readonly string[] =>
  sql.run(TABLES).map((row) => String(row["name"]));

/** Each byte as one character: quicker to compare than a list of numbers. */
const LATIN = new TextDecoder("latin1");

/** All stored cells as one text. Taken around every request, so it avoids JSON. */
export function cellsIn(sql: SqlPort): string {
  let text = "";
  for (const table of tablesIn(sql)) {
    text += `\n${table}`;
    for (const row of sql.run(`SELECT * FROM ${table}`)) {
      for (const value of Object.values(row)) text += `\n${typeof value} ${plain(value)}`;
    }
  }
  return text;
}

const plain = (value: unknown): string =>
  value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? LATIN.decode(value) : String(value);

export function readStored(sql: SqlPort): StoredState {
  const tables = tablesIn(sql);
  const session = tables.includes("session")
    ? new SessionStore(sql, "only read").load()?.session
    : undefined;
  if (session === undefined) return { commits: [], stored: null };
  const columns = "first_seq, last_seq, participant, events";
  const kept = tables.includes("trimmed") ? `UNION ALL SELECT ${columns}, 1 FROM trimmed` : "";
  const rows = sql.run(
    `SELECT ${columns}, 0 AS is_trimmed FROM commits ${kept} ORDER BY first_seq`,
  );
  const commits = rows.map(
    (row): LoggedCommit => ({
      first: Number(row["first_seq"]),
      last: Number(row["last_seq"]),
      participant: row["participant"] as number | null,
      events: String(row["events"])
        .split("\n")
        .map((line) => JSON.parse(line) as LoggedEvent),
      ...(row["is_trimmed"] === 1 ? { isTrimmed: true } : {}),
    }),
  );
  const { state, version, paused, title, fields, expiresAt } = session;
  const head = commits.at(-1)?.last ?? 0;
  const log = commits.filter(({ isTrimmed }) => isTrimmed !== true).flatMap(({ events }) => events);
  return {
    commits,
    stored: { state, version, paused, title, fields, expiresAt, head },
    productFold: { stored: session, folded: fold(log as unknown as LogEvent[]) },
  };
}
