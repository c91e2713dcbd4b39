/** The session as its participants see it. No hash, no slot, nothing a token could be made from. */
import type { Actor } from "../participants/actor";
import { boundTo, type BoundTo } from "../participants/binding";
import { nextStepNumber } from "../checkpoints/continuation-prompt";
import { handoffId, participantId, type SessionId } from "../ids";
import type { Json, JsonObject } from "../json";
import { viewOwnership, type SourceTemplate, type Labels } from "../owners/ownership";
import type { Terms } from "../links/terms";
import type { Link, Participant } from "../participants/participant";
import type { Scope } from "../participants/scope";
import { withoutErased } from "./private-values";
import type { FieldMeta, NextStep, Parent, Review, Session } from "./session";
import type { State } from "./state";
import { missingFields } from "./validation";

/** Somebody who may act on the session. */
export interface ParticipantView {
  /** Its id, `par_…`. */
  readonly id: string;
  /** Who it is. */
  readonly actor: Actor;
  /** What it may do. */
  readonly scopes: readonly Scope[];
  /** The participant that made it; null for the creator. */
  readonly madeBy: string | null;
  /** When it was made, ISO 8601. */
  readonly createdAt: string;
  /** When its rights end; null: with the session. */
  readonly expiresAt: string | null;
  /** Its rights were taken back. */
  readonly revoked: boolean;
  /** Has a live connection open now. */
  readonly connected: boolean;
  /** What its token needs beside itself; absent: nothing. */
  readonly bound?: readonly BoundTo[];
}

/** The session as its participants see it. */
export interface SessionView<F = Readonly<Record<string, Json>>> {
  /** Its id, `ses_…`. */
  readonly id: SessionId;
  /** Its title. */
  readonly title: string | null;
  /** Where it is in its life. */
  readonly state: State;
  /** Machines and what is due are held back. */
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
  /** The JSON Schema of the fields; null where there is none. */
  readonly schema: JsonObject | null;
  /** Which approvals are needed, and which are there. */
  readonly review: Review;
  /** What is to be done next. */
  readonly nextStep: (NextStep & { readonly step: number }) | null;
  /** The session it was forked from. */
  readonly parent: Parent | null;
  /** When it was begun, ISO 8601. */
  readonly createdAt: string;
  /** When document or state last changed. */
  readonly updatedAt: string;
  /** When it ends by itself. */
  readonly expiresAt: string;
  /** Only where use moves its end: how long it lives after the last use. */
  readonly idleTtlMs?: number;
  /** Who began it. */
  readonly createdBy: Actor;
  /** Who changed it last. */
  readonly updatedBy: Actor;
  /** Everybody who may act on it. */
  readonly participants: readonly ParticipantView[];
  /** The owner it belongs to. */
  readonly owner?: string;
  /** The owner's own name for it. */
  readonly externalId?: string;
  /** The template it was begun from. */
  readonly template?: SourceTemplate;
  /** Names and values that the owner finds it by. */
  readonly labels?: Labels;
  /** Where it and its files are kept. */
  readonly jurisdiction?: string;
  /** Where most of its requests were said to come from. */
  readonly locationHint?: string;
}

/** What a session is known by where its content may not be seen. */
export type SessionOutline = Pick<
  SessionView,
  "id" | "state" | "version" | "head" | "updatedAt" | "updatedBy" | "expiresAt"
>;

/** The same, written out: made once where the session is, and handed on as text. */
export interface SessionText {
  readonly id: SessionId;
  readonly version: number;
  readonly head: number;
  readonly json: string;
}

/** What of a participant is the same for everybody and for its maker. */
type SharedMember = "scopes" | "madeBy" | "createdAt" | "expiresAt" | "revoked" | "bound";

/** A participant that was made, as its maker sees it. */
export interface HandoffView extends Pick<ParticipantView, SharedMember>, Terms {
  /** Its id, `hnd_…`. */
  readonly id: string;
  /** The participant that was made. */
  readonly participant: string;
  /** An agent, by a token, or a human, by a link. */
  readonly to: "agent" | "human";
  /** What its maker wrote to it. */
  readonly note: string | null;
  /** Of a link only. */
  readonly singleUse?: boolean;
  /** It may be opened on another device even after something was saved. */
  readonly takeover?: boolean;
  /** When the link was opened; null before. */
  readonly openedAt?: string | null;
  /** When the person answered; null before. */
  readonly answeredAt?: string | null;
  /** When the person declined; null before. */
  readonly declinedAt?: string | null;
  /** The page names the title before the link is opened. */
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
