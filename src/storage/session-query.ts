/**
 * Pages of an owner's sessions, newest first. A single filter scans its own index in the order of
 * the result, so that a page costs a page, however many sessions there are. No index covers several
 * filters, or a range of times in that order: session-search.ts handles those.
 */
import { bytesOrNull, numberOrNull } from "./cells";
import type { SessionList } from "./session-list";
import { searchSessions, type FoundRows } from "./session-search";
import { boundsOf, EVERY_SESSION, sourcesOf } from "./session-sources";
import type { SqlRow } from "./sql-port";

/** Texts to find are given as hashes. */
export interface SessionQuery {
  readonly states: readonly string[];
  readonly waiting?: string | undefined;
  /** The wait started before this time. */
  readonly waitingBefore?: number | undefined;
  readonly label?: string | undefined;
  readonly external?: string | undefined;
  readonly words: readonly string[];
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly changedAfter?: number | undefined;
  readonly changedBefore?: number | undefined;
  /** Only sessions with a lower number; absent: from the newest. */
  readonly below?: number | undefined;
  readonly limit: number;
}

export interface SessionRow {
  readonly number: number;
  readonly objectIdHex: string;
  readonly seq: number;
  readonly state: string;
  readonly waitingFor: string | null;
  readonly waitingSince: number | null;
  readonly changedAt: number;
  readonly expiresAt: number;
  /** The body is masked with this and the id. */
  readonly textHash: string;
  readonly body: Uint8Array;
}

export interface ChangeRow extends Omit<SessionRow, "body" | "state"> {
  readonly change: number;
  /** Null if the session was removed. */
  readonly state: string | null;
  readonly body: Uint8Array | null;
}

const COLUMNS = `s.number, s.object_id, s.seq, s.state, s.waiting_for, s.waiting_since, s.changed_at,
  s.expires_at, s.text_hash, s.body`;

/** A page, and where the next one continues if this one is incomplete. */
interface FoundSessions {
  readonly rows: readonly SessionRow[];
  readonly scannedTo: number | null;
}

/** Several states are several scans, merged: one scan over all of them would have to sort. */
export function listSessions(list: SessionList, query: SessionQuery): FoundSessions {
  const states = query.states.length === 0 ? [null] : [...new Set(query.states)];
  const scans = states.map((state) => search(list, query, state));
  // Below it one of the scans has not read yet, so rows that another scan found there would be out
  // of order.
  const scannedTo = Math.max(...scans.map((one) => one.scannedTo ?? 0));
  const rows = scans
    .flatMap((one) => one.rows.map(toRow))
    .filter(({ number }) => number >= scannedTo);
  return {
    rows: rows.toSorted((a, b) => b.number - a.number).slice(0, query.limit),
    scannedTo: scannedTo === 0 ? null : scannedTo,
  };
}

function search(list: SessionList, query: SessionQuery, state: string | null): FoundRows {
  const sources = sourcesOf(query, state);
  const first = sources.find(({ isInOrder }) => isInOrder) ?? EVERY_SESSION;
  const others = sources.filter((source) => source !== first);
  const columns = `${COLUMNS}, s.external`;
  const { limit } = query;
  return searchSessions(list, { columns, sources: [first, ...others], ...boundsOf(query), limit });
}

/** The sessions with the longest waits, longest first, and the start of the newest wait. */
export function longestWaits(
  list: SessionList,
  waiting: string,
  limit: number,
): { readonly longest: readonly SessionRow[]; readonly newestSince: number | null } {
  const longest = list.rows(
    `SELECT ${COLUMNS} FROM sessions s WHERE s.waiting_for = ? ORDER BY s.waiting_since LIMIT ?`,
    waiting,
    limit,
  );
  const [newest] = list.rows(
    `SELECT waiting_since FROM sessions WHERE waiting_for = ? ORDER BY waiting_since DESC LIMIT 1`,
    waiting,
  );
  return { longest: longest.map(toRow), newestSince: numberOrNull(newest?.["waiting_since"]) };
}

export const sessionByObject = (list: SessionList, objectIdHex: string): SessionRow | null =>
  list.rows(`SELECT ${COLUMNS} FROM sessions s WHERE s.object_id = ?`, objectIdHex).map(toRow)[0] ??
  null;

/**
 * In the order in which they were reported. Of a session that was removed since, only the removal
 * has content.
 */
export const changesAfter = (
  list: SessionList,
  after: number,
  limit: number,
): readonly ChangeRow[] =>
  list
    .rows(
      `SELECT c.number AS change, s.number AS number, c.object_id, c.seq, c.state, c.waiting_for, c.waiting_since, c.changed_at,
        c.expires_at, s.text_hash, s.body
      FROM changes c LEFT JOIN sessions s ON s.object_id = c.object_id
      WHERE c.number > ? ORDER BY c.number LIMIT ?`,
      after,
      limit,
    )
    .map((row) => ({
      ...commonColumns(row),
      change: Number(row["change"]),
      state: textOrNull(row["state"]),
      body: bytesOrNull(row["body"]),
    }));

const toRow = (row: SqlRow): SessionRow => ({
  ...commonColumns(row),
  state: String(row["state"]),
  body: bytesOrNull(row["body"]) ?? new Uint8Array(),
});

const commonColumns = (row: SqlRow) => ({
  number: Number(row["number"]),
  objectIdHex: String(row["object_id"]),
  seq: Number(row["seq"]),
  waitingFor: textOrNull(row["waiting_for"]),
  waitingSince: numberOrNull(row["waiting_since"]),
  changedAt: Number(row["changed_at"]),
  expiresAt: Number(row["expires_at"]),
  textHash: String(row["text_hash"]),
});

const textOrNull = (cell: SqlRow[string] | undefined): string | null =>
  typeof cell === "string" ? cell : null;
