/**
 * The indexes that can find an owner's sessions. A query scans one of them; the others become
 * conditions on each session that is scanned.
 */
import { WAIT_REASONS } from "../domain/owners/waiting";
import { firstNumberAt } from "./session-list";
import type { SessionQuery } from "./session-query";

export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

export interface Source {
  readonly from: string;
  /** The column that orders the result, as this source names it. */
  readonly number: string;
  /** The condition that the index serves. */
  readonly lead: Condition;
  /** The same condition on a session that another source found. */
  readonly filter: Condition;
  /** The index is in the order of the result. A range of times is not. */
  readonly isInOrder: boolean;
}

const condition = (sql: string, ...values: readonly (string | number)[]): Condition => ({
  sql,
  values,
});

const KINDS = WAIT_REASONS.map((kind) => `'${kind}'`).join(", ");

export const EVERY_SESSION: Source = {
  from: "sessions s",
  number: "s.number",
  lead: condition("TRUE"),
  filter: condition("TRUE"),
  isInOrder: true,
};

/** All sources of the query, the one that probably finds the fewest first. */
export function sourcesOf(query: SessionQuery, state: string | null): readonly Source[] {
  const { external, words, label, waiting } = query;
  const sources: Source[] = [];
  if (external !== undefined)
    sources.push(byColumn("sessions_by_external", "s.external = ?", external));
  if (words.length > 0) sources.push(byWords(words));
  if (label !== undefined) sources.push(byLabel(label));
  sources.push(...rangesOf(query));
  if (state !== null) sources.push(byColumn("sessions_by_state", "s.state = ?", state));
  if (waiting !== undefined)
    sources.push(byColumn("sessions_by_waiter", "s.waiting_for = ?", waiting));
  return sources;
}

const byColumn = (index: string, sql: string, value: string): Source => ({
  from: `sessions s INDEXED BY ${index}`,
  number: "s.number",
  lead: condition(sql, value),
  filter: condition(sql, value),
  isInOrder: true,
});

/** All words must match, in any order. They are hexadecimal, so they contain no syntax. */
function byWords(words: readonly string[]): Source {
  const match = words.map((word) => `"${word}"`).join(" AND ");
  return {
    from: "words w CROSS JOIN sessions s ON s.number = w.rowid",
    number: "w.rowid",
    lead: condition("w.words MATCH ?", match),
    filter: condition(
      "EXISTS (SELECT 1 FROM words w WHERE w.words MATCH ? AND w.rowid = s.number)",
      match,
    ),
    isInOrder: true,
  };
}

const byLabel = (label: string): Source => ({
  from: "labels l CROSS JOIN sessions s ON s.number = l.number",
  number: "l.number",
  lead: condition("l.hash = ?", label),
  filter: condition(
    "EXISTS (SELECT 1 FROM labels l WHERE l.hash = ? AND l.number = s.number)",
    label,
  ),
  isInOrder: true,
});

function rangesOf(query: SessionQuery): readonly Source[] {
  const { waiting, waitingBefore, changedAfter, changedBefore } = query;
  const ranges: (readonly [string, Condition])[] = [];
  if (waitingBefore !== undefined) {
    const kinds = waiting === undefined ? [] : [waiting];
    const sql = `s.waiting_for ${waiting === undefined ? `IN (${KINDS})` : "= ?"} AND s.waiting_since <= ?`;
    ranges.push(["sessions_by_waiting", condition(sql, ...kinds, waitingBefore)]);
  }
  const changed = [
    ...(changedAfter === undefined ? [] : [condition("s.changed_at > ?", changedAfter)]),
    ...(changedBefore === undefined ? [] : [condition("s.changed_at < ?", changedBefore)]),
  ];
  if (changed.length > 0) ranges.push(["sessions_by_change", joinConditions(changed)]);
  return ranges.map(([index, lead]) => ({
    from: `sessions s INDEXED BY ${index}`,
    number: "s.number",
    lead,
    filter: lead,
    isInOrder: false,
  }));
}

/** Clock skew between the machines that an object runs on. */
const CLOCK_SKEW_MS = 10_000;

/** The range of numbers of the requested sessions: numbers grow with the time of creation. */
export function boundsOf(query: SessionQuery): { readonly from: number; readonly below: number } {
  const { createdAfter, createdBefore, waitingBefore, changedBefore, below } = query;
  // No session waits or was changed before it was created.
  const latest = Math.min(waitingBefore ?? Infinity, changedBefore ?? Infinity) + CLOCK_SKEW_MS;
  const ends = [latest, createdBefore ?? Infinity].map((time) => firstNumberAt(time));
  return {
    from: createdAfter === undefined ? 0 : firstNumberAt(createdAfter + 1),
    below: Math.min(below ?? Infinity, ...ends, Number.MAX_SAFE_INTEGER),
  };
}

export const joinConditions = (conditions: readonly Condition[]): Condition =>
  condition(
    conditions.length === 0 ? "TRUE" : conditions.map(({ sql }) => sql).join(" AND "),
    ...conditions.flatMap(({ values }) => values),
  );
