/**
 * How many sessions were in which state, hour by hour: one row per hour after which something
 * changed, written before the first change of a later hour. A row holds the counts at the end of
 * its hour and of all quiet hours before it, so a chart of any span costs one row per point.
 */
import { jsonCellOrNull } from "./cells";
import { LazyTable } from "./lazy-table";

const SQL = {
  create: `CREATE TABLE history (hour INTEGER PRIMARY KEY, counts TEXT NOT NULL)`,
  last: `SELECT MAX(hour) AS hour FROM history`,
  insert: `INSERT INTO history (hour, counts) VALUES (?, ?) ON CONFLICT DO NOTHING`,
  drop: `DELETE FROM history WHERE hour < ?`,
  at: `SELECT counts FROM history WHERE hour >= ? ORDER BY hour LIMIT 1`,
} as const;

const HOUR_MS = 60 * 60 * 1000;
/** As far back as a chart goes, and one more day. */
const RETAINED_HOURS = 31 * 24;

export type StateCounts = Readonly<Record<string, number>>;

export class StateHistory extends LazyTable {
  protected readonly create = SQL.create;
  #lastHour: number | null = null;

  /**
   * Called before a change: stores the counts at the end of the past hours, unless they are stored
   * already. If its transaction is rolled back it is not retried, and one point of the chart shows
   * its neighbour's counts.
   */
  recordHour(now: number, counts: () => StateCounts): void {
    const hour = Math.floor(now / HOUR_MS) - 1;
    if ((this.#lastHour ??= this.#read()) >= hour) return;
    this.ensureTable();
    this.run(SQL.insert, hour, JSON.stringify(counts()));
    this.run(SQL.drop, hour - RETAINED_HOURS);
    this.#lastHour = hour;
  }

  #read(): number {
    return Number(this.row(SQL.last)?.["hour"] ?? Number.NEGATIVE_INFINITY);
  }

  /** The counts at this time; null if nothing changed since. */
  at(time: number): StateCounts | null {
    return jsonCellOrNull<StateCounts>(this.row(SQL.at, Math.floor(time / HOUR_MS))?.["counts"]);
  }
}
