/** The one list of the session's columns: a new member of a session is one line here and a migration. */
import type { Session } from "../domain/session/session";
import { columnsOf, fixed, flag, json, jsonOrNull, plain, sparseMap } from "./columns";
import type { ColumnsOf } from "./columns";

const COLUMNS: ColumnsOf<Session> = {
  state: plain("state"),
  paused: flag("paused"),
  version: plain("version"),
  title: plain("title"),
  fields: json("fields"),
  fieldMeta: json("field_meta"),
  review: json("review"),
  nextStep: jsonOrNull("next_step"),
  schema: fixed(jsonOrNull("schema")),
  createdAt: fixed(plain("created_at")),
  createdBy: fixed(json("created_by")),
  updatedAt: plain("updated_at"),
  updatedBy: json("updated_by"),
  expiresAt: plain("expires_at"),
  retentionMs: fixed(plain("retention_ms")),
  idleTtlMs: fixed(plain("idle_ttl_ms")),
  endedAt: plain("ended_at"),
  revoked: json("revoked"),
  policy: fixed(jsonOrNull("policy")),
  automation: json("automation"),
  parent: fixed(jsonOrNull("parent")),
  children: json("children"),
  checkpointsMade: plain("checkpoints_made"),
  trimmed: jsonOrNull("trimmed"),
  request: jsonOrNull("request"),
  belongs: fixed(jsonOrNull("belongs")),
  labels: sparseMap("labels", {}),
  location: fixed(jsonOrNull("location")),
};

export const SESSION_COLUMNS = columnsOf(COLUMNS);
/** The columns that are written with every change. */
export const CHANGING_COLUMNS = columnsOf(
  Object.fromEntries(
    Object.entries(COLUMNS).filter(([, { isFixed }]) => !isFixed),
  ) as unknown as ColumnsOf<Session>,
);
