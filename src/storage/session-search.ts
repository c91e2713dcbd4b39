/**
 * The newest sessions that are also within a range of times. Two ways find them: along the order of the
 * answer, leaving out what is not in the range, and along the range, sorting what is in it. The first
 * costs little where many are in the range, the second where few are. Nobody knows before, so both are
 * tried with a bound that grows, and the page costs a small multiple of the cheaper one.
 */
import type { SessionList } from "./session-list";
import type { SqlRow } from "./sql-port";

/** One with the value null is not asked for. */
export type Condition = readonly [sql: string, value: string | number | null];

interface Search {
  readonly columns: string;
  readonly from: string;
  /** The column of the order, as its source names it. */
  readonly number: string;
  /** An index has each of these in the order of the answer. */
  readonly inOrder: readonly Condition[];
  readonly ranges: readonly Condition[];
}

/** How much further each try looks than the one before it. */
const GROWTH = 4;

export function searchRange(list: SessionList, search: Search, limit: number): readonly SqlRow[] {
  const { columns, from, number, inOrder, ranges } = search;
  const all = [...inOrder, ...ranges];
  const order = `${number} DESC LIMIT ?`;
  const shown = `SELECT ${columns} FROM ${from}`;
  if (ranges.length === 0) {
    return list.rows(`${shown} ${where(all)} ORDER BY ${order}`, ...valuesOf(all), limit);
  }
  const found: SqlRow[] = [];
  let walked = inOrder;
  for (let most = 2 * limit; ; most *= GROWTH) {
    const next = `${shown} ${where(walked)} ORDER BY ${order}`;
    // Read as far as it is needed: the inner one is worked off row by row.
    const rows = list.rows(
      `SELECT s.* FROM (${next}) s ${where(ranges)} LIMIT ?`,
      ...valuesOf(walked),
      most,
      ...valuesOf(ranges),
      limit - found.length,
    );
    found.push(...rows);
    if (found.length >= limit) return found;
    const [inRange] = list.rows(
      `SELECT COUNT(*) AS n FROM (SELECT 1 FROM sessions s ${where(ranges)} LIMIT ?)`,
      ...valuesOf(ranges),
      most,
    );
    if (Number(inRange?.["n"]) < most) {
      // The plus keeps the order's own index from being taken.
      return list.rows(`${shown} ${where(all)} ORDER BY +${order}`, ...valuesOf(all), limit);
    }
    const [end] = list.rows(
      `SELECT COUNT(*) AS n, MIN(n) AS last
        FROM (SELECT ${number} AS n FROM ${from} ${where(walked)} ORDER BY ${order})`,
      ...valuesOf(walked),
      most,
    );
    if (Number(end?.["n"]) < most) return found;
    walked = [...inOrder, [`${number} < ?`, Number(end?.["last"])]];
  }
}

const where = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.map(([sql]) => sql).join(" AND ")}`;

const valuesOf = (conditions: readonly Condition[]): readonly (string | number)[] =>
  conditions.map(([, value]) => value as string | number);
