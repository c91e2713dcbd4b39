/**
 * The offers of agents' queues, ordered by queue and session, because sessions take turns. If an
 * object has one queue, its name is empty. The table is created with the first offer.
 */
import { LazyTable } from "./lazy-table";

const SQL = {
  // The key is the whole row: an offer writes one row, and the next session is found without a
  // scan.
  create: `CREATE TABLE offers (
    object_id TEXT NOT NULL, number INTEGER NOT NULL, attempt INTEGER NOT NULL,
    PRIMARY KEY (object_id, number, attempt)
  ) WITHOUT ROWID`,
  known: `SELECT number FROM offers WHERE object_id = ? AND number = ? AND attempt = ?`,
  insert: `INSERT INTO offers (object_id, number, attempt) VALUES (?, ?, ?)`,
  list: `SELECT object_id, number, attempt FROM offers
    WHERE (object_id, number, attempt) > (?, ?, ?) AND object_id < ?
    ORDER BY object_id, number, attempt LIMIT ?`,
  remove: `DELETE FROM offers WHERE object_id = ? AND number = ? AND attempt = ?`,
} as const;

export interface Offer {
  readonly objectIdHex: string;
  readonly number: number;
  /** Distinguishes a repeated offer from one of a job that came back. */
  readonly attempt: number;
}

type Key = readonly [place: string, number: number, attempt: number];

const READ_AHEAD = 16;

export class OfferStore extends LazyTable {
  protected readonly create = SQL.create;

  /** False if the offer was known already. */
  add(queue: string, offer: Offer): boolean {
    this.ensureTable();
    const key = keyOf(queue, offer);
    if (this.run(SQL.known, ...key).length > 0) return false;
    this.run(SQL.insert, ...key);
    return true;
  }

  /** All offers of a queue, from the session after the given one around to that one. */
  *after(queue: string, objectIdHex: string): Generator<Offer> {
    if (!this.exists()) return;
    const position = positionOf(queue, objectIdHex);
    yield* this.#from(queue, [position, Number.MAX_SAFE_INTEGER, 0]);
    for (const offer of this.#from(queue, [positionOf(queue, ""), 0, 0])) {
      if (offer.objectIdHex > objectIdHex) return;
      yield offer;
    }
  }

  *#from(queue: string, start: Key): Generator<Offer> {
    const end = positionOf(queue, BEYOND_HEX);
    for (let after = start; ; ) {
      const rows = this.run(SQL.list, ...after, end, READ_AHEAD);
      for (const row of rows) {
        after = [String(row["object_id"]), Number(row["number"]), Number(row["attempt"])];
        const [position, number, attempt] = after;
        yield { objectIdHex: position.slice(positionOf(queue, "").length), number, attempt };
      }
      if (rows.length < READ_AHEAD) return;
    }
  }

  remove(queue: string, offer: Offer): void {
    if (this.exists()) this.run(SQL.remove, ...keyOf(queue, offer));
  }
}

/** Sorts after every object id of a queue. */
const BEYOND_HEX = "g";

/** Queue names have no spaces, so no key belongs to two queues. */
const positionOf = (queue: string, objectIdHex: string): string =>
  queue === "" ? objectIdHex : `${queue} ${objectIdHex}`;

const keyOf = (queue: string, { objectIdHex, number, attempt }: Offer): Key => [
  positionOf(queue, objectIdHex),
  number,
  attempt,
];
