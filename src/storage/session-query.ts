/**
 * Pages of an owner's sessions, newest first. Each filter begins at the index that is its own and goes
 * along it in the order of the answer, so that a page costs a page, however many sessions there are.
 * No index has both a range of times and that order: those pages are found in session-search.ts.
 */
import { WAITS } from "../domain/owners/waiting";
import { firstNumberAt, type SessionList } from "./session-list";
import { searchRange, type Condition } from "./session-search";
import type { SqlRow } from "./sql-port";

/** Hashes stand for the texts that are looked for. */
export interface SessionQuery {
  readonly states: readonly string[];
  readonly waiting: string | null;
  /** Waits since before this time. */
  readonly waitingBefore: number | null;
  readonly label: string | null;
  readonly external: string | null;
  readonly words: readonly string[];
  readonly createdAfter: number | null;
  readonly createdBefore: number | null;
  readonly changedAfter: number | null;
  readonly changedBefore: number | null;
  /** Only sessions with a lower number; null: from the newest. */
  readonly below: number | null;
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
  /** What the body is masked with beside the id. */
  readonly textHash: string;
  readonly body: Uint8Array;
}

export interface ChangeRow extends Omit<SessionRow, "body" | "state"> {
  readonly change: number;
  /** Null where the session was removed. */
  readonly state: string | null;
  readonly body: Uint8Array | null;
}

const COLUMNS = `s.number, s.object_id, s.seq, s.state, s.waiting_for, s.waiting_since, s.changed_at,
  s.expires_at, s.text_hash, s.body`;

const KINDS = WAITS.map((kind) => `'${kind}'`).join(", ");

/** Between the machines that an object lives on. */
const CLOCKS_DIFFER_MS = 10_000;

const LABELLED = `EXISTS (SELECT 1 FROM labels l WHERE l.number = s.number AND l.hash = ?)`;

/** Several states are several walks, merged: one walk over all of them would have to sort. */
export function listSessions(list: SessionList, query: SessionQuery): readonly SessionRow[] {
  const states = query.states.length === 0 ? [null] : [...new Set(query.states)];
  const rows = states.flatMap((state) => walk(list, query, state));
  return rows.toSorted((a, b) => b.number - a.number).slice(0, query.limit);
}

function walk(list: SessionList, query: SessionQuery, state: string | null): readonly SessionRow[] {
  const [from, leading, number] = sourceOf(query);
  const inOrder: readonly Condition[] = [
    leading,
    [`s.state = ?`, state],
    [`s.waiting_for = ?`, query.waiting],
    [LABELLED, query.words.length > 0 ? query.label : null],
    [`s.external = ?`, query.external],
    [`${number} >= ?`, query.createdAfter === null ? null : firstNumberAt(query.createdAfter + 1)],
    [`${number} < ?`, query.createdBefore === null ? null : firstNumberAt(query.createdBefore)],
    [`${number} < ?`, query.below],
  ];
  const ranges: readonly Condition[] = [
    [`s.waiting_for IN (${KINDS}) AND s.waiting_since <= ?`, query.waitingBefore],
    [`s.changed_at > ?`, query.changedAfter],
    [`s.changed_at < ?`, query.changedBefore],
  ];
  const used = inOrder.filter(([, value]) => value !== null);
  const searched = ranges.filter(([, value]) => value !== null);
  // Nothing waits or was changed before it was created.
  const latest = Math.min(query.waitingBefore ?? Infinity, query.changedBefore ?? Infinity);
  if (latest < Infinity) used.push([`${number} < ?`, firstNumberAt(latest + CLOCKS_DIFFER_MS)]);
  const search = { columns: COLUMNS, from, number, inOrder: used, ranges: searched };
  return searchRange(list, search, query.limit).map(toRow);
}

/** Where the walk begins: at the words, at the label, or at the sessions themselves. */
function sourceOf({ words, label }: SessionQuery): readonly [string, Condition, string] {
  if (words.length > 0) {
    // All of them, in any order. They are hexadecimal, so nothing in them is syntax.
    const match = words.map((word) => `"${word}"`).join(" AND ");
    const from = `words w CROSS JOIN sessions s ON s.number = w.rowid`;
    return [from, [`w.words MATCH ?`, match], "w.rowid"];
  }
  if (label !== null) {
    return [
      `labels l CROSS JOIN sessions s ON s.number = l.number`,
      [`l.hash = ?`, label],
      "l.number",
    ];
  }
  return ["sessions s", ["", null], "s.number"];
}

/** Those that wait longest for this, longest first, and the one that began to wait last. */
export function waitsOf(
  list: SessionList,
  waiting: string,
  most: number,
): { readonly longest: readonly SessionRow[]; readonly newestSince: number | null } {
  const longest = list.rows(
    `SELECT ${COLUMNS} FROM sessions s WHERE s.waiting_for = ? ORDER BY s.waiting_since LIMIT ?`,
    waiting,
    most,
  );
  const [newest] = list.rows(
    `SELECT waiting_since FROM sessions WHERE waiting_for = ? ORDER BY waiting_since DESC LIMIT 1`,
    waiting,
  );
  const since = newest?.["waiting_since"];
  return { longest: longest.map(toRow), newestSince: since == null ? null : Number(since) };
}

export const sessionByObject = (list: SessionList, objectIdHex: string): SessionRow | null =>
  list.rows(`SELECT ${COLUMNS} FROM sessions s WHERE s.object_id = ?`, objectIdHex).map(toRow)[0] ??
  null;

/** In the order in which they were told; a session that was removed since is left out but for that. */
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
      ...placeOf(row),
      change: Number(row["change"]),
      state: textOrNull(row["state"]),
      body: row["body"] == null ? null : bytesOf(row["body"]),
    }));

const toRow = (row: SqlRow): SessionRow => ({
  ...placeOf(row),
  state: String(row["state"]),
  body: bytesOf(row["body"]),
});

const placeOf = (row: SqlRow) => ({
  number: Number(row["number"]),
  objectIdHex: String(row["object_id"]),
  seq: Number(row["seq"]),
  waitingFor: textOrNull(row["waiting_for"]),
  waitingSince: row["waiting_since"] === null ? null : Number(row["waiting_since"]),
  changedAt: Number(row["changed_at"]),
  expiresAt: Number(row["expires_at"]),
  textHash: String(row["text_hash"]),
});

const textOrNull = (cell: SqlRow[string] | undefined): string | null =>
  typeof cell === "string" ? cell : null;

const bytesOf = (cell: SqlRow[string] | undefined): Uint8Array =>
  cell instanceof Uint8Array ? cell : new Uint8Array(cell as ArrayBuffer);
