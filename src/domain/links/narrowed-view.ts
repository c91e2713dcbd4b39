/**
 * A session and its log as a narrowed link sees them: the fields it asks or shows, what concerns its
 * own part, and how the work goes on. What is not listed here is left out, so that a new event or a new
 * member shows nothing by being forgotten.
 */
import type { LogEvent } from "../log/event";
import { linesIn, type EventTexts } from "../log/event-line";
import { participantId } from "../ids";
import { isJsonObject, type Json, type JsonObject } from "../json";
import type { Narrowing } from "./terms";
import type { SessionView } from "../session/view";

const keep = <T>(
  from: Readonly<Record<string, T>>,
  names: readonly string[],
): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

export function narrowView(
  view: SessionView,
  { visible }: Narrowing,
  participant: number,
): SessionView {
  const { review } = view;
  const { requestedChanges } = review;
  return {
    ...view,
    fields: keep(view.fields, visible),
    fieldMeta: keep(view.fieldMeta, visible),
    missingFields: view.missingFields.filter((name) => visible.includes(name)),
    review: {
      ...review,
      approvedBy: review.approvedBy.map(({ participant: by, actor, at }) => ({
        participant: by,
        actor,
        at,
      })),
      ...(requestedChanges === undefined
        ? {}
        : {
            requestedChanges: {
              ...requestedChanges,
              fields: keep(requestedChanges.fields, visible),
            },
          }),
    },
    nextStep: null,
    parent: null,
    participants: view.participants.filter(({ id }) => id === participantId(participant)),
  };
}

/** Events that tell how the work goes on, with nothing of what is in them. */
const BARE: ReadonlySet<string> = new Set([
  "session.created",
  "session.submitted",
  "session.finalized",
  "session.cancelled",
  "session.expired",
  "session.extended",
  "review.approved",
]);

/** Events of a link: only those of its own. */
const OWN: ReadonlySet<string> = new Set([
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
  if (BARE.has(type)) return {};
  if (OWN.has(type)) return payload["participant"] === me ? payload : null;
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
      return { ...payload, fields: keep(comments, visible) as JsonObject };
    }
    case "review.rejected":
      return payload;
    default:
      return null;
  }
}

const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];
