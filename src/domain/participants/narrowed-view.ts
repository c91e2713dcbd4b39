/**
 * A session and its log as a narrowed participant sees them: the fields that it may see, its own
 * part, and the progress of the session. Anything not listed here is omitted, so that a new event
 * or a new member is never shown by accident.
 */
import type { LogEvent } from "../log/event";
import { isServerType } from "../log/event";
import { matchesType, typeInLine } from "../log/event-line";
import { participantId } from "../ids";
import { isJsonObject, listOf, type JsonObject } from "../json";
import type { Review } from "../session/session";
import type { SessionOutline, SessionView } from "../session/view";
import { narrowSchema, strictSchema } from "./narrowed-schema";
import { canSeeField, type Narrowing } from "./narrowing";
import type { Participant } from "./participant";

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
  narrowing: Narrowing,
  participant: number,
): NarrowedView => {
  const { visible, showsTexts } = narrowing;
  return {
    id: view.id,
    title: showsTexts ? view.title : null,
    state: view.state,
    version: view.version,
    head: view.head,
    fields: pickNames(view.fields, visible),
    fieldMeta: pickNames(view.fieldMeta, visible),
    missingFields: view.missingFields.filter((name) => visible.includes(name)),
    schema: (showsTexts ? narrowSchema : strictSchema)(view.schema, visible),
    review: narrowReview(view.review, narrowing),
    updatedAt: view.updatedAt,
    updatedBy: view.updatedBy,
    expiresAt: view.expiresAt,
    participants: view.participants.filter(({ id }) => id === participantId(participant)),
    ...(showsTexts ? {} : emptyMembers(view)),
  };
};

/** The rest of a session's members, so that an agent reads the same shape as any other. */
const emptyMembers = (
  view: SessionView,
): Pick<SessionView, "paused" | "nextStep" | "parent" | "createdAt" | "createdBy"> => ({
  paused: view.paused,
  nextStep: null,
  parent: null,
  createdAt: view.createdAt,
  createdBy: view.createdBy,
});

/** General comments are for people. Comments on a field stay only if the field is visible. */
const narrowReview = (
  { required, approvals, approvedBy, submitted, requestedChanges, rejectedBecause }: Review,
  { visible, showsTexts }: Narrowing,
): Review => ({
  required,
  approvals,
  approvedBy: approvedBy.map(({ participant, actor, at }) => ({ participant, actor, at })),
  ...(submitted && { submitted: { actor: submitted.actor, at: submitted.at } }),
  ...(requestedChanges && {
    requestedChanges: {
      actor: requestedChanges.actor,
      at: requestedChanges.at,
      ...(requestedChanges.comment === undefined || !showsTexts
        ? {}
        : { comment: requestedChanges.comment }),
      fields: pickNames(requestedChanges.fields, visible),
    },
  }),
  ...(rejectedBecause === undefined || !showsTexts ? {} : { rejectedBecause }),
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

/** Events of links. A person sees those of its own link, an agent also those that it made. */
const OWN_LINK_TYPES: ReadonlySet<string> = new Set([
  "handoff.link_issued",
  "handoff.opened",
  "handoff.resumed",
  "handoff.answered",
  "handoff.declined",
  "handoff.reissued",
]);

const AGENT_HANDOFF_TYPES: ReadonlySet<string> = new Set([
  ...OWN_LINK_TYPES,
  "handoff.created",
  "handoff.expired",
]);

/**
 * Shows an event, given as a line, to a narrowed participant: as a line again, or null if the
 * participant does not see it.
 */
export function eventNarrower(
  narrowing: Narrowing,
  participant: number,
  all: readonly Pick<Participant, "number" | "madeBy">[],
): (line: string) => string | null {
  const { read, showsTexts } = narrowing;
  const own = participantId(participant);
  const handoffs = new Set(
    all
      .filter(
        ({ number, madeBy }) => number === participant || (!showsTexts && madeBy === participant),
      )
      .map(({ number }) => participantId(number)),
  );
  return (line) => {
    const type = typeInLine(line);
    if (read !== null && !matchesType(type, read)) return null;
    if (!isServerType(type)) return read === null ? null : line;
    const event = JSON.parse(line) as LogEvent;
    const isOwn = event.participant === own;
    const payload = payloadFor(event, narrowing, handoffs, isOwn);
    return payload === null ? null : JSON.stringify({ ...event, payload });
  };
}

function payloadFor(
  { type, payload }: LogEvent,
  narrowing: Narrowing,
  handoffs: ReadonlySet<string>,
  isOwn: boolean,
): JsonObject | null {
  if (TYPES_WITHOUT_PAYLOAD.has(type)) return {};
  const { visible, showsTexts } = narrowing;
  if ((showsTexts ? OWN_LINK_TYPES : AGENT_HANDOFF_TYPES).has(type)) {
    return handoffs.has(String(payload["participant"])) ? payload : null;
  }
  switch (type) {
    case "fields.updated": {
      const changes = listOf(payload["changes"]).filter(
        (change) => isJsonObject(change) && canSeeField(narrowing, change["field"]),
      );
      return changes.length === 0 ? null : { changes };
    }
    case "private.erased":
    case "upload.confirmed":
    case "upload.removed":
      return canSeeField(narrowing, payload["field"]) ? payload : null;
    case "review.changes_requested": {
      const { fields } = payload;
      const comments = isJsonObject(fields ?? null) ? (fields as JsonObject) : {};
      const texts = showsTexts ? payload : {};
      return { ...texts, fields: pickNames(comments, visible) as JsonObject };
    }
    case "review.rejected":
      return showsTexts ? payload : {};
    case "lease.taken":
    case "lease.released":
      return isOwn ? payload : null;
    default:
      return null;
  }
}
