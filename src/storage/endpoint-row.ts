/** The one row of an endpoint's settings and status: its columns and their conversion. */
import type {
  EndpointSettings,
  EndpointStatus,
  EndpointOwnerRef,
} from "../domain/notices/endpoint";
import { columnsOf, json, plain } from "./columns";

export interface EndpointRow {
  /** Version of the settings: an update with a lower one is dropped. */
  readonly version: number;
  readonly settings: EndpointSettings;
  readonly home: EndpointOwnerRef;
  readonly status: EndpointStatus;
  readonly createdAt: number;
  /** End of its creator's rights. */
  readonly endsAt: number | null;
  readonly failingSince: number | null;
  /** A change of status that its home has not acknowledged. */
  readonly unreported: EndpointStatus | null;
}

export const ENDPOINT = columnsOf<EndpointRow>({
  version: plain("version"),
  settings: json("settings"),
  home: json("home"),
  status: plain("status"),
  createdAt: plain("created_at"),
  endsAt: plain("ends_at"),
  failingSince: plain("failing_since"),
  unreported: plain("unreported"),
});

export const ENDPOINT_SQL = {
  create: `CREATE TABLE endpoint (
    id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL, settings TEXT NOT NULL,
    home TEXT NOT NULL, status TEXT NOT NULL, created_at INTEGER NOT NULL, ends_at INTEGER,
    failing_since INTEGER, unreported TEXT
  )`,
  read: `SELECT ${ENDPOINT.names.join()} FROM endpoint WHERE id = 1`,
  write: `INSERT INTO endpoint (id, ${ENDPOINT.names.join()}) VALUES (1, ${ENDPOINT.marks})
    ON CONFLICT (id) DO UPDATE SET ${ENDPOINT.names.map((name) => `${name} = excluded.${name}`).join()}`,
} as const;
