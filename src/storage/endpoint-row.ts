/** The one row that says what an endpoint is: its columns, and the way there and back. */
import type { EndpointSettings, EndpointStatus, Home } from "../domain/notices/endpoint";
import { numberOrNull } from "./cells";
import type { SqlRow } from "./sql-port";

export const ENDPOINT_SQL = {
  create: `CREATE TABLE endpoint (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,
    settings TEXT NOT NULL,
    home TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ends_at INTEGER,
    failing_since INTEGER,
    unreported TEXT
  )`,
  read: `SELECT version, settings, home, status, created_at, ends_at, failing_since, unreported
    FROM endpoint WHERE id = 1`,
  write: `INSERT INTO endpoint (id, version, settings, home, status, created_at, ends_at,
    failing_since, unreported) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET version = excluded.version, settings = excluded.settings,
    home = excluded.home, status = excluded.status, created_at = excluded.created_at,
    ends_at = excluded.ends_at, failing_since = excluded.failing_since,
    unreported = excluded.unreported`,
} as const;

export interface EndpointRow {
  /** Of its settings: news with a lower one is dropped. */
  readonly version: number;
  readonly settings: EndpointSettings;
  readonly home: Home;
  readonly status: EndpointStatus;
  readonly createdAt: number;
  /** End of who made it. */
  readonly endsAt: number | null;
  readonly failingSince: number | null;
  /** A change of status that its home has not acknowledged. */
  readonly unreported: EndpointStatus | null;
}

/** In the order of the columns that are written. */
export const endpointCells = (row: EndpointRow) =>
  [
    row.version,
    JSON.stringify(row.settings),
    JSON.stringify(row.home),
    row.status,
    row.createdAt,
    row.endsAt,
    row.failingSince,
    row.unreported,
  ] as const;

export const toEndpoint = (row: SqlRow): EndpointRow => ({
  version: Number(row["version"]),
  settings: JSON.parse(String(row["settings"])) as EndpointSettings,
  home: JSON.parse(String(row["home"])) as Home,
  status: row["status"] as EndpointStatus,
  createdAt: Number(row["created_at"]),
  endsAt: numberOrNull(row["ends_at"]),
  failingSince: numberOrNull(row["failing_since"]),
  unreported: (row["unreported"] ?? null) as EndpointStatus | null,
});
