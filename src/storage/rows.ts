/** Between rows and the domain's values. */
import type { Actor } from "../domain/participants/actor";
import { decodeBase64url, encodeBase64url } from "../domain/base64url";
import type { ChildPlan } from "../domain/checkpoints/fork";
import type { JsonObject } from "../domain/json";
import type { Labels } from "../domain/owners/belonging";
import { NO_NEWS, type News } from "../domain/owners/news";
import type { LastWrite, Participant } from "../domain/participants/participant";
import type { Session } from "../domain/session/session";
import type { State } from "../domain/session/state";
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
  idleTtlMs: numberOrNull(row["idle_ttl_ms"]),
  endedAt: numberOrNull(row["ended_at"]),
  revoked: json(row["revoked"]),
  policy: jsonOrNull(row["policy"]),
  automation: json(row["automation"]),
  parent: jsonOrNull(row["parent"]),
  children: json(row["children"]),
  checkpointsMade: Number(row["checkpoints_made"]),
  trimmed: jsonOrNull(row["trimmed"]),
  request: jsonOrNull(row["request"]),
  belongs: jsonOrNull(row["belongs"]),
  labels: jsonOrNull(row["labels"]) ?? {},
});

export const textOf = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value);

/** What can change after creation, in the order of the update statement. */
export const changingValues = (session: Session): readonly SqlValue[] => [
  session.state,
  session.paused ? 1 : 0,
  session.version,
  session.title,
  JSON.stringify(session.fields),
  JSON.stringify(session.fieldMeta),
  JSON.stringify(session.review),
  textOf(session.nextStep),
  session.updatedAt,
  JSON.stringify(session.updatedBy),
  session.expiresAt,
  session.endedAt,
  JSON.stringify(session.revoked),
  JSON.stringify(session.automation),
  JSON.stringify(session.children),
  session.checkpointsMade,
  textOf(session.trimmed),
  textOf(session.request),
  labelsText(session.labels),
];

/** What is fixed at creation. */
export const fixedValues = (session: Session): readonly SqlValue[] => [
  textOf(session.schema),
  session.createdAt,
  JSON.stringify(session.createdBy),
  session.retentionMs,
  textOf(session.policy),
  textOf(session.parent),
  session.idleTtlMs,
  textOf(session.belongs),
];

const labelsText = (labels: Labels): string | null =>
  Object.keys(labels).length === 0 ? null : JSON.stringify(labels);

/** Participants stand in the session's row as JSON; only the sealed bytes need a spelling of their own. */
type StoredParticipant = Omit<Participant, "last"> & {
  readonly last: (Omit<LastWrite, "sealed"> & { readonly sealed: string | null }) | null;
};

export const participantsText = (participants: readonly Participant[]): string =>
  JSON.stringify(
    participants.map(
      ({ last, ...one }): StoredParticipant => ({
        ...one,
        last: last && { ...last, sealed: last.sealed && encodeBase64url(last.sealed) },
      }),
    ),
  );

export const toParticipants = (row: SqlRow): readonly Participant[] =>
  json<readonly StoredParticipant[]>(row["participants"]).map(({ last, ...one }) => ({
    ...one,
    last: last && { ...last, sealed: last.sealed === null ? null : decodeBase64url(last.sealed) },
  }));

export const newsText = (news: News): string | null =>
  news.waiting === null &&
  news.untold.length === 0 &&
  news.isPurging !== true &&
  (news.endpoints ?? []).length === 0
    ? null
    : JSON.stringify(news);

export const toNews = (cell: Cell | undefined): News => jsonOrNull<News>(cell) ?? NO_NEWS;

export const planText = (plan: ChildPlan | null): string | null => textOf(plan);

export const toPlan = (row: SqlRow): ChildPlan | null => jsonOrNull<ChildPlan>(row["plan"]);
