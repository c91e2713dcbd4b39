/**
 * How many sessions were in which state, hour by hour: one row for each hour that something changed
 * after, written before the first change of a later hour. A row says how it was at the end of its hour
 * and in all quiet hours before it, so a picture of any span costs one row for each point it draws.
 */
import { LazyTable } from "./lazy-table";
import type { SqlPort } from "./sql-port";

const SQL = {
  create: `CREATE TABLE history (hour INTEGER PRIMARY KEY, counts TEXT NOT NULL)`,
  last: `SELECT MAX(hour) AS hour FROM history`,
  insert: `INSERT INTO history (hour, counts) VALUES (?, ?) ON CONFLICT DO NOTHING`,
  drop: `DELETE FROM history WHERE hour < ?`,
  at: `SELECT counts FROM history WHERE hour >= ? ORDER BY hour LIMIT 1`,
} as const;

const HOUR_MS = 60 * 60 * 1000;
/** As far back as a picture goes, and one more day. */
const KEPT_HOURS = 31 * 24;

export type StateCounts = Readonly<Record<string, number>>;

export class StateHistory {
  readonly #sql: SqlPort;
  readonly #table: LazyTable;
  #lastHour: number | null = null;

  constructor(sql: SqlPort) {
    this.#sql = sql;
    this.#table = new LazyTable(sql, "history", SQL.create);
  }

  /**
   * Before a change: what the hours until now ended with, where that is not yet written down. Undone
   * with its transaction it is not tried again, and one point of the picture is that of its neighbour.
   */
  note(now: number, counts: () => StateCounts): void {
    const hour = Math.floor(now / HOUR_MS) - 1;
    if ((this.#lastHour ??= this.#read()) >= hour) return;
    this.#table.make();
    this.#sql.run(SQL.insert, hour, JSON.stringify(counts()));
    this.#sql.run(SQL.drop, hour - KEPT_HOURS);
    this.#lastHour = hour;
  }

  #read(): number {
    const last = this.#table.exists() ? this.#sql.run(SQL.last)[0]?.["hour"] : null;
    return Number(last ?? Number.NEGATIVE_INFINITY);
  }

  /** As it was at this time; null where nothing changed since. */
  at(time: number): StateCounts | null {
    if (!this.#table.exists()) return null;
    const found = this.#sql.run(SQL.at, Math.floor(time / HOUR_MS))[0]?.["counts"];
    return typeof found === "string" ? (JSON.parse(found) as StateCounts) : null;
  }
}
