/**
 * How many sessions were in which state, hour by hour: one row for each hour that something changed
 * after, written before the first change of a later hour. A row says how it was at the end of its hour
 * and in all quiet hours before it, so a picture of any span costs one row for each point it draws.
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
/** As far back as a picture goes, and one more day. */
const KEPT_HOURS = 31 * 24;

export type StateCounts = Readonly<Record<string, number>>;

export class StateHistory extends LazyTable {
  protected readonly create = SQL.create;
  #lastHour: number | null = null;

  /**
   * Before a change: what the hours until now ended with, where that is not yet written down. Undone
   * with its transaction it is not tried again, and one point of the picture is that of its neighbour.
   */
  recordHour(now: number, counts: () => StateCounts): void {
    const hour = Math.floor(now / HOUR_MS) - 1;
    if ((this.#lastHour ??= this.#read()) >= hour) return;
    this.ensureTable();
    this.run(SQL.insert, hour, JSON.stringify(counts()));
    this.run(SQL.drop, hour - KEPT_HOURS);
    this.#lastHour = hour;
  }

  #read(): number {
    return Number(this.row(SQL.last)?.["hour"] ?? Number.NEGATIVE_INFINITY);
  }

  /** As it was at this time; null where nothing changed since. */
  at(time: number): StateCounts | null {
    return jsonCellOrNull<StateCounts>(this.row(SQL.at, Math.floor(time / HOUR_MS))?.["counts"]);
  }
}
