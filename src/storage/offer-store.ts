/**
 * The offers of one agent's queue, kept by session, because sessions take turns. The table is made
 * with the first offer.
 */
import { LazyTable } from "./lazy-table";
import type { SqlPort } from "./sql-port";

const SQL = {
  // The key is the row itself: an offer writes one row, and the next session is found without a scan.
  create: `CREATE TABLE offers (
    object_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    PRIMARY KEY (object_id, number, attempt)
  ) WITHOUT ROWID`,
  known: `SELECT number FROM offers WHERE object_id = ? AND number = ? AND attempt = ?`,
  insert: `INSERT INTO offers (object_id, number, attempt) VALUES (?, ?, ?)`,
  list: `SELECT object_id, number, attempt FROM offers
    WHERE (object_id, number, attempt) > (?, ?, ?)
    ORDER BY object_id, number, attempt LIMIT ?`,
  remove: `DELETE FROM offers WHERE object_id = ? AND number = ? AND attempt = ?`,
} as const;

export interface Offer {
  readonly objectIdHex: string;
  readonly number: number;
  /** Tells an offer that is repeated from one of a job that came back. */
  readonly attempt: number;
}

type Key = readonly [objectIdHex: string, number: number, attempt: number];

const READ_AHEAD = 16;
const START: Key = ["", 0, 0];

export class OfferStore {
  readonly #sql: SqlPort;
  readonly #table: LazyTable;

  constructor(sql: SqlPort) {
    this.#sql = sql;
    this.#table = new LazyTable(sql, "offers", SQL.create);
  }

  /** False where the offer was known already. */
  add(objectIdHex: string, number: number, attempt: number): boolean {
    this.#table.make();
    if (this.#sql.run(SQL.known, objectIdHex, number, attempt).length > 0) return false;
    this.#sql.run(SQL.insert, objectIdHex, number, attempt);
    return true;
  }

  /** All of them, beginning with the session after the given one and ending with that one. */
  *after(objectIdHex: string): Generator<Offer> {
    if (!this.#table.exists()) return;
    yield* this.#from([objectIdHex, Number.MAX_SAFE_INTEGER, 0]);
    for (const offer of this.#from(START)) {
      if (offer.objectIdHex > objectIdHex) return;
      yield offer;
    }
  }

  *#from(start: Key): Generator<Offer> {
    for (let after = start; ; ) {
      const rows = this.#sql.run(SQL.list, ...after, READ_AHEAD);
      for (const row of rows) {
        after = [String(row["object_id"]), Number(row["number"]), Number(row["attempt"])];
        const [objectIdHex, number, attempt] = after;
        yield { objectIdHex, number, attempt };
      }
      if (rows.length < READ_AHEAD) return;
    }
  }

  remove({ objectIdHex, number, attempt }: Offer): void {
    if (this.#table.exists()) this.#sql.run(SQL.remove, objectIdHex, number, attempt);
  }
}
