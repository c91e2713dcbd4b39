/**
 * The fold: how each event changes the session. Every accepted write uses it, so the stored state
 * cannot differ from a replay of the log.
 */
import { omitUndefined } from "../result";
import type { Actor } from "../participants/actor";
import { initialSession } from "./initial-session";
import type { LogEvent } from "./event";
import type { EventPayloads } from "./payloads";
import type { CheckpointBody } from "../checkpoints/checkpoint";
import { numberOf, type SessionId } from "../ids";
import { own, type Json, type JsonObject } from "../json";
import type { Labels } from "../owners/ownership";
import type {
  Automation,
  FieldMeta,
  InputRequest,
  NextStep,
  Review,
  Session,
} from "../session/session";
import { reviewRules } from "../session/review-rules";
import { privateHashIn } from "../session/private-values";
import { isTerminal } from "../session/state";
import { pickTerms } from "../links/terms";

/** The payload of an event of this type. */
const payloadOf = <T extends keyof EventPayloads>(_: T, { payload }: LogEvent) =>
  payload as unknown as EventPayloads[T];

export function apply(session: Session, event: LogEvent): Session {
  const moved = event.version !== session.version;
  const ended = isTerminal(event.state) && !isTerminal(session.state);
  const effect = own(EFFECTS, event.type)?.(session, event);
  return {
    ...session,
    ...effect,
    ...(ended ? { automation: withoutResume(session) } : {}),
    state: event.state,
    version: event.version,
    ...(moved ? { updatedAt: event.at, updatedBy: event.actor } : {}),
    ...(ended && event.state !== "expired" ? { endedAt: Date.parse(event.at) } : {}),
  };
}

/** The session of a whole log. The first event must be `session.created`. */
export function fold(events: readonly LogEvent[]): Session {
  const [first, ...rest] = events;
  if (first?.type !== "session.created") throw new Error("a log begins with session.created");
  return rest.reduce(apply, initialSession(first));
}

type Effect = (session: Session, event: LogEvent) => Partial<Session>;

/** What each event changes apart from state and version. Other events change nothing else. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  "fields.updated": fieldsUpdated,
  "private.erased": erased,
  "session.updated": (_, { payload }) => sessionUpdated(payload),
  "session.input_requested": (session, event) => ({
    request: requested(event),
    ...withReminder(session, event.payload["remindAt"]),
  }),
  "handoff.reminded": (session, { payload }) =>
    payload["for"] === "input" ? withReminder(session, undefined) : {},
  "session.labelled": (_, { payload }) => ({ labels: payload["labels"] as Labels & JsonObject }),
  "session.submitted": ({ review }, event) => ({ review: submitted(review, event) }),
  "session.paused": (session) => ({ paused: true, automation: withoutResume(session) }),
  "session.unpaused": ({ automation }) => ({
    paused: false,
    automation: { ...automation, suspended: false, failures: [] },
  }),
  "stop.reported": (session, event) => ({ automation: stopped(session, event) }),
  "resume.suspended": (session) => ({ automation: { ...withoutResume(session), suspended: true } }),
  "resume.due": (session) => ({ automation: withoutResume(session) }),
  "token.accessed": (session, { payload }) =>
    payload["by"] === "resume" ? { automation: resumed(session) } : {},
  "session.forked": (session, event) => ({
    children: [...openChildren(session, event), childOf(event)],
  }),
  "session.trimmed": (_, event) => trimmedBy(event),
  "checkpoint.created": (_, { payload }) => ({
    checkpointsMade: numberOf(payload["id"] as string, "chk_") ?? 0,
  }),
  "checkpoint.restored": (_, { payload }) => ({
    ...(payload["document"] as unknown as CheckpointBody),
  }),
  "session.extended": (_, { payload }) => ({
    expiresAt: Date.parse(payload["expiresAt"] as string),
  }),
  "review.approved": (session, event) => ({ review: approved(session, event) }),
  "review.changes_requested": ({ review }, event) => ({ review: changesRequested(review, event) }),
  "review.rejected": ({ review }, { payload }) => ({ review: rejected(review, payload) }),
  "token.revoked": ({ revoked }, { payload }) => ({
    revoked: [...revoked, numberOf(payload["participant"] as string, "par_") ?? 0],
  }),
};

function requested(event: LogEvent): InputRequest {
  const { note, ...rest } = payloadOf("session.input_requested", event);
  return {
    ...pickTerms(rest),
    ...(note === undefined ? {} : { note }),
    by: event.actor,
    at: event.at,
  };
}

/** Cancels the scheduled resume. */
const withoutResume = ({ automation }: Session): Automation =>
  automation.resumeAt === null ? automation : { ...automation, resumeAt: null, attempt: null };

/** Also clears the reason of the stop. */
function resumed(session: Session): Automation {
  const { stopReason: _, ...rest } = withoutResume(session);
  return rest;
}

/** Sets or clears the reminder of a request for input. It is sent only once. */
function withReminder({ automation }: Session, at: unknown): Partial<Session> {
  const { remindAt, ...rest } = automation;
  if (typeof at === "string") return { automation: { ...rest, remindAt: Date.parse(at) } };
  return remindAt === undefined ? {} : { automation: rest };
}

function stopped({ automation }: Session, event: LogEvent): Automation {
  const { reason, decision, failures } = payloadOf("stop.reported", event);
  const isDue = decision.strategy === "same_session" && decision.resumeAt !== null;
  return {
    ...automation,
    resumeAt: isDue ? Date.parse(decision.resumeAt ?? "") : null,
    attempt: isDue ? decision.attempt : null,
    failures,
    lastStopSeq: event.seq,
    stopReason: reason,
  };
}

/** The children without those that had ended when the limit was reached. */
function openChildren({ children }: Session, { payload }: LogEvent): Session["children"] {
  const ended = (payload["ended"] ?? []) as readonly string[];
  return children.filter(({ sessionId }) => !ended.includes(sessionId));
}

const childOf = ({ seq, payload }: LogEvent): Session["children"][number] => ({
  sessionId: payload["child"] as SessionId,
  seq,
});

function trimmedBy(event: LogEvent): Partial<Session> {
  const { outcome, floor, checkpoint } = payloadOf("session.trimmed", event);
  return outcome === "success" ? { trimmed: { floor, checkpoint } } : {};
}

function fieldsUpdated(session: Session, event: LogEvent): Partial<Session> {
  const { changes, confidence } = payloadOf("fields.updated", event);
  const fields: Record<string, Json> = { ...session.fields };
  const fieldMeta: Record<string, FieldMeta> = { ...session.fieldMeta };
  for (const { field, to } of changes) {
    if (to === undefined) {
      delete fields[field];
      delete fieldMeta[field];
      continue;
    }
    // The placeholder of a private value was sent back unchanged.
    if (privateHashIn(to) !== null && privateHashIn(to) === privateHashIn(own(fields, field)))
      continue;
    fields[field] = to;
    fieldMeta[field] = metaOf(event.actor, event.at, confidence && own(confidence, field));
  }
  return { fields, fieldMeta };
}

function erased({ fields, fieldMeta }: Session, event: LogEvent): Partial<Session> {
  const { field, hash } = payloadOf("private.erased", event);
  const meta = own(fieldMeta, field);
  if (meta === undefined || privateHashIn(own(fields, field)) !== hash) return {};
  return { fieldMeta: { ...fieldMeta, [field]: { ...meta, erasedAt: event.at } } };
}

const metaOf = (actor: Actor, at: string, confidence: number | undefined): FieldMeta => ({
  actor,
  at,
  ...(confidence === undefined ? {} : { confidence }),
});

function sessionUpdated(payload: JsonObject): Partial<Session> {
  return {
    ...("title" in payload ? { title: payload["title"] as string | null } : {}),
    ...("nextStep" in payload ? { nextStep: payload["nextStep"] as NextStep | null } : {}),
  };
}

/** Submitting again restarts the review, because approvals were for the previous version. */
const withoutDecisions = (review: Review): Review => ({ ...reviewRules(review), approvedBy: [] });

const submitted = (review: Review, { actor, at }: LogEvent): Review => ({
  ...withoutDecisions(review),
  submitted: { actor, at },
});

function approved({ review, version }: Session, event: LogEvent): Review {
  const { participant, comment, identity } = payloadOf("review.approved", event);
  const approval = {
    participant,
    actor: event.actor,
    at: event.at,
    ...omitUndefined({ comment, identity }),
    version,
  };
  return { ...review, approvedBy: [...review.approvedBy, approval] };
}

function changesRequested(review: Review, event: LogEvent): Review {
  const { comment, fields } = payloadOf("review.changes_requested", event);
  return {
    ...withoutDecisions(review),
    requestedChanges: {
      actor: event.actor,
      at: event.at,
      fields,
      ...(comment === undefined ? {} : { comment }),
    },
  };
}

function rejected(review: Review, payload: JsonObject): Review {
  const reason = payload["reason"];
  return typeof reason === "string" ? { ...review, rejectedBecause: reason } : review;
}
