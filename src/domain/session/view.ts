/** The session as its participants see it. No hash, no slot, nothing a token could be made from. */
import type { Actor } from "../participants/actor";
import { boundTo, type BoundTo } from "../participants/binding";
import { stepOf } from "../checkpoints/continuation";
import { handoffId, participantId, type SessionId } from "../ids";
import type { Json, JsonObject } from "../json";
import { shownBelonging, type FromTemplate, type Labels } from "../owners/belonging";
import type { Link, Participant } from "../participants/participant";
import type { Scope } from "../participants/scope";
import { withoutErased } from "./private";
import type { FieldMeta, NextStep, Parent, Review, Session } from "./session";
import type { State } from "./state";
import { missingFields } from "./validation";

export interface ParticipantView {
  readonly id: string;
  readonly actor: Actor;
  readonly scopes: readonly Scope[];
  readonly madeBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revoked: boolean;
  /** Has a live connection open now. */
  readonly connected: boolean;
  /** What its token needs beside itself; absent: nothing. */
  readonly bound?: readonly BoundTo[];
}

export interface SessionView<F = Readonly<Record<string, Json>>> {
  readonly id: SessionId;
  readonly title: string | null;
  readonly state: State;
  readonly paused: boolean;
  readonly version: number;
  readonly head: number;
  readonly fields: F;
  readonly fieldMeta: Readonly<Record<string, FieldMeta>>;
  readonly missingFields: readonly string[];
  readonly schema: JsonObject | null;
  readonly review: Review;
  readonly nextStep: (NextStep & { readonly step: number }) | null;
  readonly parent: Parent | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
  /** Only where use moves its end: how long it lives after the last use. */
  readonly idleTtlMs?: number;
  readonly createdBy: Actor;
  readonly updatedBy: Actor;
  readonly participants: readonly ParticipantView[];
  readonly owner?: string;
  readonly externalId?: string;
  readonly template?: FromTemplate;
  readonly labels?: Labels;
  readonly jurisdiction?: string;
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

export interface HandoffView {
  readonly id: string;
  readonly participant: string;
  readonly to: "agent" | "human";
  readonly scopes: readonly Scope[];
  readonly note: string | null;
  readonly madeBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revoked: boolean;
  readonly bound?: readonly BoundTo[];
  /** Of a link only. */
  readonly singleUse?: boolean;
  readonly takeover?: boolean;
  readonly openedAt?: string | null;
  readonly answeredAt?: string | null;
  readonly declinedAt?: string | null;
  readonly showTitle?: boolean;
  readonly ask?: readonly string[];
  readonly show?: readonly string[];
  readonly question?: string;
  readonly submitLabel?: string;
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
    nextStep: session.nextStep && { ...session.nextStep, step: stepOf(session.nextStep) },
    parent: session.parent,
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
    expiresAt: iso(session.expiresAt),
    ...(session.idleTtlMs === null ? {} : { idleTtlMs: session.idleTtlMs }),
    createdBy: session.createdBy,
    updatedBy: session.updatedBy,
    participants: participants.map((one) => viewParticipant(one, session, online)),
    ...shownBelonging(session.belongs, session.labels),
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

const viewParticipant = (
  one: Participant,
  session: Session,
  online: ReadonlySet<number>,
): ParticipantView => ({
  id: participantId(one.number),
  actor: one.actor,
  scopes: one.scopes,
  madeBy: one.madeBy === null ? null : participantId(one.madeBy),
  createdAt: iso(one.createdAt),
  expiresAt: one.expiresAt === null ? null : iso(one.expiresAt),
  revoked: session.revoked.includes(one.number),
  connected: online.has(one.number),
  ...boundTo(one.bind),
});

export const viewHandoff = (one: Participant, session: Session): HandoffView => ({
  id: handoffId(one.number),
  participant: participantId(one.number),
  to: one.actor.kind === "human" ? "human" : "agent",
  scopes: one.scopes,
  note: one.note,
  madeBy: one.madeBy === null ? null : participantId(one.madeBy),
  createdAt: iso(one.createdAt),
  expiresAt: one.expiresAt === null ? null : iso(one.expiresAt),
  revoked: session.revoked.includes(one.number),
  ...boundTo(one.bind),
  ...(one.link === undefined ? {} : linkOf(one.link)),
});

const linkOf = ({ singleUse, takeover, openedAt, ...rest }: Link) => ({
  singleUse,
  takeover,
  openedAt: openedAt === null ? null : iso(openedAt),
  answeredAt: rest.answeredAt === undefined ? null : iso(rest.answeredAt),
  declinedAt: rest.declinedAt === undefined ? null : iso(rest.declinedAt),
  showTitle: rest.showTitle === true,
  ...rest.terms,
});
