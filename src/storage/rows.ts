/** Between rows and the domain's values. */
import type { Actor } from "../domain/actor";
import type { RequestHash, TokenHash } from "../domain/ids";
import type { JsonObject } from "../domain/json";
import type { LastWrite, Participant } from "../domain/participant";
import type { Scope } from "../domain/scope";
import type { Session } from "../domain/session";
import type { State } from "../domain/state";
import type { SqlRow, SqlValue } from "./sql-port";

type Cell = SqlRow[string];

const text = (cell: Cell | undefined): string => cell as string;
const json = <T>(cell: Cell | undefined): T => JSON.parse(cell as string) as T;
const jsonOrNull = <T>(cell: Cell | undefined): T | null =>
  typeof cell === "string" ? json<T>(cell) : null;
const numberOrNull = (cell: Cell | undefined): number | null =>
  typeof cell === "number" ? cell : null;
const textOrNull = (cell: Cell | undefined): string | null =>
  typeof cell === "string" ? cell : null;

export function bytesOrNull(cell: Cell | undefined): Uint8Array | null {
  if (cell instanceof Uint8Array) return cell;
  return cell instanceof ArrayBuffer ? new Uint8Array(cell) : null;
}

export const toSession = (row: SqlRow): Session => ({
  state: row["state"] as State,
  paused: row["paused"] === 1,
  version: Number(row["version"]),
  title: textOrNull(row["title"]),
  fields: json(row["fields"]),
  fieldMeta: json(row["field_meta"]),
  review: json(row["review"]),
  nextStep: jsonOrNull(row["next_step"]),
  schema: jsonOrNull<JsonObject>(row["schema"]),
  createdAt: text(row["created_at"]),
  createdBy: json<Actor>(row["created_by"]),
  updatedAt: text(row["updated_at"]),
  updatedBy: json<Actor>(row["updated_by"]),
  expiresAt: Number(row["expires_at"]),
  retentionMs: Number(row["retention_ms"]),
  endedAt: numberOrNull(row["ended_at"]),
  revoked: json(row["revoked"]),
});

/** What can change after creation, in the order of the update statement. */
export const changingValues = (session: Session): readonly SqlValue[] => [
  session.state,
  session.paused ? 1 : 0,
  session.version,
  session.title,
  JSON.stringify(session.fields),
  JSON.stringify(session.fieldMeta),
  JSON.stringify(session.review),
  session.nextStep === null ? null : JSON.stringify(session.nextStep),
  session.updatedAt,
  JSON.stringify(session.updatedBy),
  session.expiresAt,
  session.endedAt,
  JSON.stringify(session.revoked),
];

/** What is fixed at creation. */
export const fixedValues = (session: Session): readonly SqlValue[] => [
  session.schema === null ? null : JSON.stringify(session.schema),
  session.createdAt,
  JSON.stringify(session.createdBy),
  session.retentionMs,
];

export const toParticipant = (row: SqlRow): Participant => ({
  number: Number(row["number"]),
  actor: json<Actor>(row["actor"]),
  scopes: json<readonly Scope[]>(row["scopes"]),
  madeBy: numberOrNull(row["made_by"]),
  note: textOrNull(row["note"]),
  createdAt: Number(row["created_at"]),
  expiresAt: numberOrNull(row["expires_at"]),
  tokenSeq: Number(row["token_seq"]),
  tokenHash: row["token_hash"] as TokenHash,
  fenceSeq: Number(row["fence_seq"]),
  seenVersion: Number(row["seen_version"]),
  cursor: Number(row["cursor"]),
  filled: row["filled"] === 1,
  last: toLastWrite(row),
});

function toLastWrite(row: SqlRow): LastWrite | null {
  const consumed = row["last_consumed"];
  if (typeof consumed !== "string") return null;
  return {
    consumed: consumed as TokenHash,
    request: textOrNull(row["last_request"]) as RequestHash | null,
    outcome: json<JsonObject>(row["last_outcome"]),
    sealed: bytesOrNull(row["last_sealed"]),
  };
}

/** What a write changes of its participant, in the order of the update statement. */
export const lineValues = (one: Participant): readonly SqlValue[] => [
  JSON.stringify(one.actor),
  one.tokenSeq,
  one.tokenHash,
  one.fenceSeq,
  one.seenVersion,
  one.cursor,
  one.filled ? 1 : 0,
  one.last?.consumed ?? null,
  one.last?.request ?? null,
  one.last === null ? null : JSON.stringify(one.last.outcome),
  one.last?.sealed ?? null,
];
