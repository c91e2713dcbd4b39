/** Checkpoints, in a table that is created with the first one: most sessions have none. */
import type { CheckpointMeta, NewCheckpoint } from "../domain/checkpoints/checkpoint";
import { numberOrNull } from "./cells";
import { columnsOf, flag, plain, type ColumnsOf } from "./columns";
import { LazyTable } from "./lazy-table";
import type { SqlRow } from "./sql-port";

type Meta = Omit<CheckpointMeta, "madeBy">;

const META: ColumnsOf<Meta> = {
  number: plain("number"),
  name: plain("name"),
  seq: plain("seq"),
  version: plain("version"),
  at: plain("at"),
  automatic: flag("automatic"),
  pinned: flag("pinned"),
  bytes: plain("bytes"),
  sha256: plain("sha256"),
};
const COLUMNS = columnsOf(META);
const STORED = columnsOf<Meta & { readonly body: string }>({ ...META, body: plain("body") });

const SQL = {
  create: `CREATE TABLE checkpoints (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, seq INTEGER NOT NULL,
    version INTEGER NOT NULL, at INTEGER NOT NULL, automatic INTEGER NOT NULL,
    pinned INTEGER NOT NULL, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, body TEXT NOT NULL
  )`,
  // A checkpoint is created in the commit that follows its seq, by the author of that commit.
  list: `SELECT ${COLUMNS.names.join()},
    (SELECT participant FROM commits WHERE first_seq = checkpoints.seq + 1) AS made_by
    FROM checkpoints ORDER BY number`,
  body: `SELECT body FROM checkpoints WHERE number = ?`,
  insert: `INSERT INTO checkpoints (${STORED.names.join()}) VALUES (${STORED.marks})`,
  // The new checkpoint replaces the old one's row: one row written instead of two.
  replace: `UPDATE checkpoints SET ${STORED.set} WHERE number = ?`,
  pin: `UPDATE checkpoints SET pinned = ? WHERE number = ?`,
  remove: `DELETE FROM checkpoints WHERE number = ?`,
} as const;

export class CheckpointStore extends LazyTable {
  protected readonly create = SQL.create;

  list(): readonly CheckpointMeta[] {
    return this.rows(SQL.list).map(toMeta);
  }

  body(number: number): string | null {
    const body = this.row(SQL.body, number)?.["body"];
    return typeof body === "string" ? body : null;
  }

  save({ meta, body, replaces }: NewCheckpoint): void {
    this.ensureTable();
    const values = STORED.values({ ...meta, body });
    if (replaces === null) this.run(SQL.insert, ...values);
    else this.run(SQL.replace, ...values, replaces);
  }

  pin(number: number, pinned: boolean): void {
    this.run(SQL.pin, pinned ? 1 : 0, number);
  }

  remove(number: number): void {
    this.run(SQL.remove, number);
  }
}

const toMeta = (row: SqlRow): CheckpointMeta => ({
  ...COLUMNS.read(row),
  madeBy: numberOrNull(row["made_by"]),
});
