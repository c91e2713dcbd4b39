/**
 * Finds the newest sessions that match several conditions. There are two ways: scan in the order of
 * the result and skip what does not match, or read an index that finds few and sort those. Which
 * one is short is not known in advance, so both are tried with a growing bound. At its end the page
 * stays incomplete, and the next one continues from there: the rows that a page reads are bounded
 * by its limit.
 */
import type { SessionList } from "./session-list";
import { joinConditions, type Condition, type Source } from "./session-sources";
import type { SqlRow } from "./sql-port";

interface Search {
  readonly columns: string;
  /** Starts with the source to scan; the others are tried too. */
  readonly sources: readonly [Source, ...Source[]];
  readonly from: number;
  readonly below: number;
  readonly limit: number;
}

export interface FoundRows {
  readonly rows: readonly SqlRow[];
  /**
   * All sessions from this number on were scanned. Null if there are no more, or the page is full.
   */
  readonly scannedTo: number | null;
}

/** Factor by which each attempt scans more than the one before. */
const GROWTH = 4;
/** Sessions scanned per session of the limit before a page stays incomplete. */
const SCANNED_PER_SHOWN = 20;

export function searchSessions(list: SessionList, search: Search): FoundRows {
  const { sources, limit } = search;
  const [first, ...others] = sources;
  if (others.length === 0 && first.isInOrder)
    return { rows: sorted(list, search, first), scannedTo: null };
  const found: SqlRow[] = [];
  const bound = SCANNED_PER_SHOWN * limit;
  let { below } = search;
  for (let batch = 2 * limit, scanned = 0; ; batch *= GROWTH) {
    const size = Math.min(batch, bound - scanned);
    found.push(...scan(list, { ...search, below, limit: limit - found.length }, size));
    if (found.length >= limit) return { rows: found, scannedTo: null };
    const narrow = others.find((source) => hasFewer(list, source, search, size));
    if (narrow !== undefined) return { rows: sorted(list, search, narrow), scannedTo: null };
    const last = lastOf(list, first, { ...search, below }, size);
    if (last === null) return { rows: found, scannedTo: null };
    below = last;
    scanned += size;
    if (scanned >= bound) return { rows: found, scannedTo: last };
  }
}

/**
 * The matching ones of the next sessions of the first source. The inner query is evaluated row by
 * row.
 */
function scan(list: SessionList, search: Search, size: number): readonly SqlRow[] {
  const [first, ...others] = search.sources;
  const inner = joinConditions([first.lead, within(first, search)]);
  const outer = joinConditions(others.map(({ filter }) => filter));
  return list.rows(
    `SELECT s.* FROM (SELECT ${search.columns} FROM ${first.from} WHERE ${inner.sql}
      ORDER BY ${first.number} DESC LIMIT ?) s WHERE ${outer.sql} LIMIT ?`,
    ...inner.values,
    size,
    ...outer.values,
    search.limit,
  );
}

/** All sessions that one source finds and that match the others, sorted. */
function sorted(list: SessionList, search: Search, source: Source): readonly SqlRow[] {
  const others = search.sources.filter((one) => one !== source).map(({ filter }) => filter);
  const { sql, values } = joinConditions([source.lead, within(source, search), ...others]);
  return list.rows(
    `SELECT ${search.columns} FROM ${source.from} WHERE ${sql} ORDER BY ${source.number} DESC LIMIT ?`,
    ...values,
    search.limit,
  );
}

function hasFewer(list: SessionList, source: Source, search: Search, than: number): boolean {
  // A range is not ordered by number: bounds on it would be checked for each row without limiting
  // the scan.
  const isIn = source.isInOrder
    ? joinConditions([source.lead, within(source, search)])
    : source.lead;
  return list.rows(...nthOf(source, isIn, "", than)).length === 0;
}

/** The last of the next sessions; null if there are fewer. */
function lastOf(list: SessionList, source: Source, search: Search, size: number): number | null {
  const isIn = joinConditions([source.lead, within(source, search)]);
  const [last] = list.rows(...nthOf(source, isIn, `ORDER BY ${source.number} DESC`, size));
  return last === undefined ? null : Number(last["number"]);
}

const nthOf = (
  { number, from }: Source,
  { sql, values }: Condition,
  order: string,
  nth: number,
): [sql: string, ...values: (string | number)[]] => [
  `SELECT ${number} AS number FROM ${from} WHERE ${sql} ${order} LIMIT 1 OFFSET ?`,
  ...values,
  nth - 1,
];

/** Numbers are bound as floats, which the word index does not accept as bounds. */
const within = ({ number }: Source, { from, below }: Search): Condition => ({
  sql: `${number} >= CAST(? AS INTEGER) AND ${number} < CAST(? AS INTEGER)`,
  values: [from, below],
});
