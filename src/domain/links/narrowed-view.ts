/**
 * A session and its log as a narrowed link sees them: the fields that it asks or shows, its own
 * part, and the progress of the session. Anything not listed here is omitted, so that a new event
 * or a new member is never shown by accident.
 */
import type { LogEvent } from "../log/event";
import { linesIn, type EventTexts } from "../log/event-line";
import { participantId } from "../ids";
import { isJsonObject, listOf, type JsonObject } from "../json";
import type { Review } from "../session/session";
import type { SessionOutline, SessionView } from "../session/view";
import { narrowSchema } from "./narrowed-schema";
import type { Narrowing } from "./terms";

/** Everything that a person's page shows. The owner and the labels are not included. */
export type NarrowedView = SessionOutline &
  Pick<
    SessionView,
    "title" | "fields" | "fieldMeta" | "missingFields" | "schema" | "review" | "participants"
  >;

const pickNames = <T>(from: Readonly<Record<string, T>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

export const narrowView = (
  view: SessionView,
  { visible }: Narrowing,
  participant: number,
): NarrowedView => ({
  id: view.id,
  title: view.title,
  state: view.state,
  version: view.version,
  head: view.head,
  fields: pickNames(view.fields, visible),
  fieldMeta: pickNames(view.fieldMeta, visible),
  missingFields: view.missingFields.filter((name) => visible.includes(name)),
  schema: narrowSchema(view.schema, visible),
  review: narrowReview(view.review, visible),
  updatedAt: view.updatedAt,
  updatedBy: view.updatedBy,
  expiresAt: view.expiresAt,
  participants: view.participants.filter(({ id }) => id === participantId(participant)),
});

/** General comments of reviewers stay. Comments on a field stay only if the field is visible. */
const narrowReview = (
  { required, approvals, approvedBy, submitted, requestedChanges, rejectedBecause }: Review,
  visible: readonly string[],
): Review => ({
  required,
  approvals,
  approvedBy: approvedBy.map(({ participant, actor, at }) => ({ participant, actor, at })),
  ...(submitted && { submitted: { actor: submitted.actor, at: submitted.at } }),
  ...(requestedChanges && {
    requestedChanges: {
      actor: requestedChanges.actor,
      at: requestedChanges.at,
      ...(requestedChanges.comment === undefined ? {} : { comment: requestedChanges.comment }),
      fields: pickNames(requestedChanges.fields, visible),
    },
  }),
  ...(rejectedBecause === undefined ? {} : { rejectedBecause }),
});

/** Events that show the progress of the session. Their payloads are omitted. */
const TYPES_WITHOUT_PAYLOAD: ReadonlySet<string> = new Set([
  "session.created",
  "session.submitted",
  "session.finalized",
  "session.cancelled",
  "session.expired",
  "session.extended",
  "review.approved",
]);

/** Events of links. Only those of the participant's own link are shown. */
const OWN_LINK_TYPES: ReadonlySet<string> = new Set([
  "handoff.link_issued",
  "handoff.opened",
  "handoff.resumed",
  "handoff.answered",
  "handoff.declined",
  "handoff.reissued",
]);

export function narrowEvents(
  texts: EventTexts,
  narrowing: Narrowing,
  participant: number,
): EventTexts {
  return linesIn(texts).flatMap((line) => {
    if (line === "") return [];
    const event = JSON.parse(line) as LogEvent;
    const payload = payloadFor(event, narrowing, participantId(participant));
    return payload === null ? [] : [JSON.stringify({ ...event, payload })];
  });
}

function payloadFor(
  { type, payload }: LogEvent,
  { visible }: Narrowing,
  me: string,
): JsonObject | null {
  if (TYPES_WITHOUT_PAYLOAD.has(type)) return {};
  if (OWN_LINK_TYPES.has(type)) return payload["participant"] === me ? payload : null;
  switch (type) {
    case "fields.updated": {
      const changes = listOf(payload["changes"]).filter(
        (change) => isJsonObject(change) && visible.includes(String(change["field"])),
      );
      return changes.length === 0 ? null : { changes };
    }
    case "private.erased":
    case "upload.confirmed":
    case "upload.removed":
      return visible.includes(String(payload["field"])) ? payload : null;
    case "review.changes_requested": {
      const { fields } = payload;
      const comments = isJsonObject(fields ?? null) ? (fields as JsonObject) : {};
      return { ...payload, fields: pickNames(comments, visible) as JsonObject };
    }
    case "review.rejected":
      return payload;
    default:
      return null;
  }
}
