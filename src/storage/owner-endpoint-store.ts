/**
 * The endpoints of an owner in its directory: one row each, with the update that its object has not
 * acknowledged. They are few and needed for every notice, so they are read once and cached.
 */
import type { OwnerPendingActions, OwnerEndpoint } from "../domain/notices/owner-endpoint";
import { jsonCellOrNull, jsonText } from "./cells";
import { LazyTable } from "./lazy-table";
import type { SqlRow } from "./sql-port";

const SQL = {
  create: `CREATE TABLE endpoints (id TEXT PRIMARY KEY, body TEXT NOT NULL, untold TEXT) WITHOUT ROWID`,
  all: `SELECT body, untold FROM endpoints`,
  write: `INSERT INTO endpoints (id, body, untold) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET body = excluded.body, untold = excluded.untold`,
  remove: `DELETE FROM endpoints WHERE id = ?`,
} as const;

export interface EndpointEntry {
  readonly endpoint: OwnerEndpoint;
  /** The update that its object has not acknowledged; null if there is none. */
  readonly pending: OwnerPendingActions | null;
}

export class OwnerEndpointStore extends LazyTable {
  protected readonly create = SQL.create;
  #entries: ReadonlyMap<string, EndpointEntry> | null = null;

  entries(): ReadonlyMap<string, EndpointEntry> {
    this.#entries ??= new Map(
      this.rows(SQL.all).map((row) => {
        const entry = toEntry(row);
        return [entry.endpoint.hex, entry];
      }),
    );
    return this.#entries;
  }

  save({ endpoint, pending }: EndpointEntry): void {
    const entries = new Map(this.entries());
    this.ensureTable();
    this.run(SQL.write, endpoint.hex, JSON.stringify(endpoint), jsonText(pending));
    this.#entries = entries.set(endpoint.hex, { endpoint, pending });
  }

  remove(hex: string): void {
    const entries = new Map(this.entries());
    entries.delete(hex);
    this.run(SQL.remove, hex);
    this.#entries = entries;
  }
}

const toEntry = ({ body, untold }: SqlRow): EndpointEntry => ({
  endpoint: JSON.parse(String(body)) as OwnerEndpoint,
  pending: jsonCellOrNull<OwnerPendingActions>(untold),
});
