/** The initial value of the fold: the session that its first event defines. */
import type { CheckpointBody } from "../checkpoints/checkpoint";
import type { JsonObject } from "../json";
import type { Ownership, Labels } from "../owners/ownership";
import type { Location } from "../session/location";
import type { reviewRules } from "../session/review-rules";
import type { Automation, NextStep, Parent, Session } from "../session/session";
import type { PolicyChoice } from "../stops/policy";
import type { LogEvent } from "./event";

/** The session after its `session.created` event. */
export function initialSession(event: LogEvent): Session {
  const payload = event.payload as JsonObject & {
    title: string | null;
    schema: JsonObject | null;
    review: ReturnType<typeof reviewRules>;
    nextStep: (NextStep & JsonObject) | null;
    expiresAt: string;
    idleTtlMs?: number;
    retentionMs: number;
    policy: (PolicyChoice & JsonObject) | null;
    parent: (Parent & JsonObject) | null;
    belongs?: (Ownership & JsonObject) | null;
    labels?: Labels & JsonObject;
    location?: Location & JsonObject;
    document?: Pick<CheckpointBody, "fields" | "fieldMeta"> & JsonObject;
  };
  return {
    title: payload.title,
    state: event.state,
    paused: false,
    version: event.version,
    fields: payload.document?.fields ?? {},
    fieldMeta: payload.document?.fieldMeta ?? {},
    schema: payload.schema,
    review: { ...payload.review, approvedBy: [] },
    nextStep: payload.nextStep,
    createdAt: event.at,
    createdBy: event.actor,
    updatedAt: event.at,
    updatedBy: event.actor,
    expiresAt: Date.parse(payload.expiresAt),
    idleTtlMs: payload.idleTtlMs ?? null,
    retentionMs: payload.retentionMs,
    endedAt: null,
    policy: payload.policy,
    automation: INITIAL_AUTOMATION,
    parent: payload.parent,
    children: [],
    checkpointsMade: 0,
    trimmed: null,
    belongs: payload.belongs ?? null,
    labels: payload.labels ?? {},
    location: payload.location ?? null,
    revoked: [],
    request: null,
  };
}

const INITIAL_AUTOMATION: Automation = {
  resumeAt: null,
  attempt: null,
  failures: [],
  suspended: false,
  lastStopSeq: null,
};
