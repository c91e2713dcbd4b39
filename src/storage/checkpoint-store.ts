/** Checkpoints, in a table of their own that is made with the first of them: most sessions have none. */
import type { CheckpointMeta, NewCheckpoint } from "../domain/checkpoints/checkpoint";
import { numberOrNull } from "./cells";
import { LazyTable } from "./lazy-table";
import type { SqlRow } from "./sql-port";

const SQL = {
  create: `CREATE TABLE checkpoints (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    automatic INTEGER NOT NULL,
    pinned INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    body TEXT NOT NULL
  )`,
  // A checkpoint is taken in the commit that follows its seq, and whoever made that commit took it.
  list: `SELECT number, name, seq, version, at, automatic, pinned, bytes, sha256,
    (SELECT participant FROM commits WHERE first_seq = checkpoints.seq + 1) AS made_by
    FROM checkpoints ORDER BY number`,
  body: `SELECT body FROM checkpoints WHERE number = ?`,
  insert: `INSERT INTO checkpoints
    (number, name, seq, version, at, automatic, pinned, bytes, sha256, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  // The new one takes the old one's row: one row written instead of two.
  replace: `UPDATE checkpoints SET number = ?, name = ?, seq = ?, version = ?, at = ?,
    automatic = ?, pinned = ?, bytes = ?, sha256 = ?, body = ? WHERE number = ?`,
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
    this.make();
    const values = [
      meta.number,
      meta.name,
      meta.seq,
      meta.version,
      meta.at,
      meta.automatic ? 1 : 0,
      meta.pinned ? 1 : 0,
      meta.bytes,
      meta.sha256,
      body,
    ];
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
  number: Number(row["number"]),
  name: String(row["name"]),
  seq: Number(row["seq"]),
  version: Number(row["version"]),
  at: Number(row["at"]),
  automatic: row["automatic"] === 1,
  pinned: row["pinned"] === 1,
  bytes: Number(row["bytes"]),
  sha256: String(row["sha256"]),
  madeBy: numberOrNull(row["made_by"]),
});
