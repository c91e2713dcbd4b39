/**
 * The session as its participants see it. It contains no hash and nothing that a token could be
 * derived from.
 */
import type { Actor } from "../participants/actor";
import { boundTo, type BoundTo } from "../participants/binding";
import { nextStepNumber } from "../checkpoints/continuation-prompt";
import { handoffId, participantId, type SessionId } from "../ids";
import type { Json, JsonObject } from "../json";
import { viewOwnership, type SourceTemplate, type Labels } from "../owners/ownership";
import type { Terms } from "../links/terms";
import type { ParticipantTerms } from "../log/payloads";
import type { Link, Participant } from "../participants/participant";
import type { Scope } from "../participants/scope";
import { withoutErased } from "./private-values";
import type { FieldMeta, NextStep, Parent, Review, Session } from "./session";
import type { State } from "./state";
import { missingFields } from "./validation";

/** A participant of the session. */
export interface ParticipantView {
  /** Its id, `par_…`. */
  readonly id: string;
  /** Who it is. */
  readonly actor: Actor;
  /** What it may do. */
  readonly scopes: readonly Scope[];
  /** The participant that created it; null for the creator of the session. */
  readonly madeBy: string | null;
  /** When it was created, ISO 8601. */
  readonly createdAt: string;
  /** When its rights end; null if they end with the session. */
  readonly expiresAt: string | null;
  /** Its rights were revoked. */
  readonly revoked: boolean;
  /** It has an open live connection. */
  readonly connected: boolean;
  /** What its token is bound to; absent if it is not bound. */
  readonly bound?: readonly BoundTo[];
  /** Fields that its handoff lets it write; absent if it is not narrowed to fields. */
  readonly ask?: readonly string[];
  /** Fields that its handoff lets it see and not write. */
  readonly show?: readonly string[];
  /** The types of events that its handoff lets it append and read. */
  readonly events?: NonNullable<ParticipantTerms["events"]>;
}

/** The session as its participants see it. */
export interface SessionView<F = Readonly<Record<string, Json>>> {
  /** Its id, `ses_…`. */
  readonly id: SessionId;
  /** Its title. */
  readonly title: string | null;
  /** Its state in the lifecycle. */
  readonly state: State;
  /** Automatic resumes are paused. */
  readonly paused: boolean;
  /** The seq of the last event that changed the document or the state. */
  readonly version: number;
  /** The seq of the last event of the log. */
  readonly head: number;
  /** The document. */
  readonly fields: F;
  /** Who wrote each field, when, and how sure they were. */
  readonly fieldMeta: Readonly<Record<string, FieldMeta>>;
  /** Required fields that have no value yet. */
  readonly missingFields: readonly string[];
  /** The JSON Schema of the fields; null if there is none. */
  readonly schema: JsonObject | null;
  /** The required approvals and the current ones. */
  readonly review: Review;
  /** What to do next. */
  readonly nextStep: (NextStep & { readonly step: number }) | null;
  /** The session it was forked from. */
  readonly parent: Parent | null;
  /** When it was created, ISO 8601. */
  readonly createdAt: string;
  /** When the document or the state last changed. */
  readonly updatedAt: string;
  /** When it expires. */
  readonly expiresAt: string;
  /** How long it lives after its last use, if use extends it. */
  readonly idleTtlMs?: number;
  /** Who created it. */
  readonly createdBy: Actor;
  /** Who changed it last. */
  readonly updatedBy: Actor;
  /** All its participants. */
  readonly participants: readonly ParticipantView[];
  /** The owner it belongs to. */
  readonly owner?: string;
  /** The owner's own id for it. */
  readonly externalId?: string;
  /** The template it was created from. */
  readonly template?: SourceTemplate;
  /** Names and values by which the owner finds it. */
  readonly labels?: Labels;
  /** The jurisdiction in which it and its files are stored. */
  readonly jurisdiction?: string;
  /** The region from which most of its requests were expected. */
  readonly locationHint?: string;
}

/** What is shown of a session if its content may not be seen. */
export type SessionOutline = Pick<
  SessionView,
  "id" | "state" | "version" | "head" | "updatedAt" | "updatedBy" | "expiresAt"
>;

/** The session as JSON text. It is encoded once, in the object, and passed on unchanged. */
export interface SessionText {
  readonly id: SessionId;
  readonly version: number;
  readonly head: number;
  readonly json: string;
}

/** The members that everyone sees, including the maker. */
type SharedMember =
  | "scopes"
  | "madeBy"
  | "createdAt"
  | "expiresAt"
  | "revoked"
  | "bound"
  | "ask"
  | "show"
  | "events";

/** A handoff, as its maker sees it. */
export interface HandoffView extends Pick<ParticipantView, SharedMember>, Terms {
  /** Its id, `hnd_…`. */
  readonly id: string;
  /** The participant that the handoff created. */
  readonly participant: string;
  /** An agent, by a token, or a human, by a link. */
  readonly to: "agent" | "human";
  /** The message of its maker. */
  readonly note: string | null;
  /** Only for a link. */
  readonly singleUse?: boolean;
  /** Another device may take over even after something was saved. */
  readonly takeover?: boolean;
  /** When the link was opened; null before. */
  readonly openedAt?: string | null;
  /** When the person answered; null before. */
  readonly answeredAt?: string | null;
  /** When the person declined; null before. */
  readonly declinedAt?: string | null;
  /** The page shows the title before the link is opened. */
  readonly showTitle?: boolean;
}

const iso = (time: number): string => new Date(time).toISOString();

export function viewSession(
  id: SessionId,
  session: Session,
  head: number,
  participants: readonly Participant[],
  online: ReadonlySet<number>,
): SessionView {
  return {
    id,
    title: session.title,
    state: session.state,
    paused: session.paused,
    version: session.version,
    head,
    fields: session.fields,
    fieldMeta: session.fieldMeta,
    missingFields: missingFields(session.schema, withoutErased(session)),
    schema: session.schema,
    review: session.review,
    nextStep: session.nextStep && { ...session.nextStep, step: nextStepNumber(session.nextStep) },
    parent: session.parent,
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
    expiresAt: iso(session.expiresAt),
    ...(session.idleTtlMs === null ? {} : { idleTtlMs: session.idleTtlMs }),
    createdBy: session.createdBy,
    updatedBy: session.updatedBy,
    participants: participants.map((one) => ({
      id: participantId(one.number),
      actor: one.actor,
      ...sharedView(one, session),
      connected: online.has(one.number),
    })),
    ...viewOwnership(session.belongs, session.labels),
    ...session.location,
  };
}

export const outlineSession = (
  id: SessionId,
  { state, version, updatedAt, updatedBy, expiresAt }: Session,
  head: number,
): SessionOutline => ({
  id,
  state,
  version,
  head,
  updatedAt,
  updatedBy,
  expiresAt: iso(expiresAt),
});

const sharedView = (one: Participant, session: Session): Pick<ParticipantView, SharedMember> => ({
  scopes: one.scopes,
  madeBy: one.madeBy === null ? null : participantId(one.madeBy),
  createdAt: iso(one.createdAt),
  expiresAt: one.expiresAt === null ? null : iso(one.expiresAt),
  revoked: session.revoked.includes(one.number),
  ...boundTo(one.bind),
  ...one.terms,
});

export const viewHandoff = (one: Participant, session: Session): HandoffView => ({
  id: handoffId(one.number),
  participant: participantId(one.number),
  to: one.actor.kind === "human" ? "human" : "agent",
  note: one.note,
  ...sharedView(one, session),
  ...(one.link === undefined ? {} : viewLink(one.link)),
});

const viewLink = ({ singleUse, takeover, openedAt, ...rest }: Link) => ({
  singleUse,
  takeover,
  openedAt: openedAt === null ? null : iso(openedAt),
  answeredAt: rest.answeredAt === undefined ? null : iso(rest.answeredAt),
  declinedAt: rest.declinedAt === undefined ? null : iso(rest.declinedAt),
  showTitle: rest.showTitle === true,
  ...rest.terms,
});
