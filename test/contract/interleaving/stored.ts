/** Reads all that a session's storage holds, through the port, on whichever SQLite it is. */
import type { LogEvent } from "../../../src/domain/log/event";
import { SessionStore } from "../../../src/storage/session-store";
import type { SqlPort } from "../../../src/storage/sql-port";
import type { Stored } from "./driver";

/** `_cf_` tables are the platform's own. */
const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' ORDER BY name`;

export const tablesIn = (sql: SqlPort): readonly string[] =>
  sql.run(TABLES).map((row) => String(row["name"]));

/** Each byte as one character: quicker to compare than a list of numbers. */
const LATIN = new TextDecoder("latin1");

/** Taken around every request of a game, so it is built without a replacer of JSON. */
export function dump(sql: SqlPort): string {
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

export function readStored(sql: SqlPort): Stored {
  const store = new SessionStore(sql, "only read");
  const session = store.load()?.session;
  if (session === undefined) throw new Error("no session is stored");
  const rows = sql.run(
    `SELECT first_seq, last_seq, participant, version, events FROM commits ORDER BY first_seq`,
  );
  return {
    session,
    head: store.head(),
    commits: rows.map((row) => ({
      first: Number(row["first_seq"]),
      last: Number(row["last_seq"]),
      participant: row["participant"] as number | null,
      version: Number(row["version"]),
    })),
    events: rows.flatMap((row) =>
      String(row["events"])
        .split("\n")
        .map((line) => JSON.parse(line) as LogEvent),
    ),
  };
}
