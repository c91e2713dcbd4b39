/** Creates a session: by a request, or as the child of a fork. */
import { actorFromClaim, type Actor } from "../participants/actor";
import type { CreateArguments } from "./command";
import type { NewServerEvent } from "../log/event";
import { invalid, tooLarge, type Failure } from "../failure";
import { checkChanges, filesProblem, initialFields } from "./fields";
import { fileSchemaOf } from "../files/file-rule";
import type { ChildPlan } from "../checkpoints/fork";
import type { TokenHash } from "../ids";
import { jsonBytes, type JsonObject } from "../json";
import { idleTtlProblem, ttlProblem } from "./lifecycle";
import { LIMITS } from "../limits";
import type { Identity } from "../participants/identity";
import { tokenEvent } from "../participants/participant-rules";
import type { Ownership, Labels } from "../owners/ownership";
import type { Location } from "./location";
import type { HidingContext, PrivateChange } from "./private-values";
import { omitUndefined, ok, refuse, type Result } from "../result";
import { privateProblem } from "../../json-schema/private-schema";
import { schemaProblem } from "../../json-schema/schema-check";
import type { Settings } from "../settings";

export interface SessionCreation {
  readonly actor: Actor;
  readonly events: readonly NewServerEvent[];
  readonly private?: PrivateChange;
  /** When the first participant's access ends, if its maker has an end. */
  readonly expiresAt?: number;
  /** The identities that filled in the session that this one was forked from. */
  readonly filledAs?: readonly Identity[];
}

/** The creator is participant 1. */
export const CREATOR = 1;

export function decideCreate(
  args: CreateArguments,
  token: TokenHash,
  now: number,
  settings: Settings,
  hiding: HidingContext,
  ownership: Ownership | null = null,
  location: Location | null = null,
): Result<SessionCreation> {
  const schema = args.schema ?? null;
  const { idleTtlMs } = args;
  const ttlMs = args.ttlMs ?? idleTtlMs ?? settings.defaultTtlMs;
  const failure =
    idleTtlProblem(idleTtlMs, settings) ??
    ttlProblem(ttlMs, settings) ??
    schemaFailure(schema) ??
    filesProblem(schema, {}, args.fields ?? {});
  if (failure !== null) return refuse(failure);
  const hidden = checkChanges(schema, {}, args.fields ?? {}, hiding);
  if (!hidden.ok) return hidden;
  const created: NewServerEvent = {
    type: "session.created",
    payload: {
      title: args.title ?? null,
      schema,
      review: {
        required: args.review?.required ?? false,
        approvals: args.review?.approvals ?? 1,
        ...(args.review?.identity === true ? { identity: true } : {}),
      },
      nextStep: (args.nextStep ?? null) as JsonObject | null,
      expiresAt: new Date(now + ttlMs).toISOString(),
      ...(idleTtlMs === undefined ? {} : { idleTtlMs }),
      retentionMs: settings.retentionMs,
      policy: (args.policy ?? null) as JsonObject | null,
      parent: null,
      ...optionalPayload(ownership, args.labels ?? {}, location),
    },
    movesVersion: true,
    state: "draft",
  };
  return ok({
    actor: actorFromClaim("agent", args.actor ?? { id: "agent" }),
    events: [
      created,
      ...initialFields(args, hidden.value),
      tokenEvent("token.issued", CREATOR, token),
    ],
    ...(hidden.value.private === undefined ? {} : { private: hidden.value.private }),
  });
}

/** Absent values are omitted, because most sessions have no owner. */
const optionalPayload = (
  ownership: Ownership | null,
  labels: Labels,
  location: Location | null,
): JsonObject => ({
  ...(ownership === null ? {} : { belongs: ownership as unknown as JsonObject }),
  ...(Object.keys(labels).length === 0 ? {} : { labels }),
  ...(location === null ? {} : { location: location as JsonObject }),
});

function schemaFailure(schema: JsonObject | null): Failure | null {
  if (schema === null) return null;
  if (jsonBytes(schema) > LIMITS.schemaBytes) {
    return tooLarge("the schema, in bytes", LIMITS.schemaBytes);
  }
  const takesFile = (field: string) => fileSchemaOf(schema, field) !== null;
  const problem = schemaProblem(schema) ?? privateProblem(schema, takesFile);
  return problem === null ? null : invalid(problem, "schema");
}

/** A child starts with its parent's document, including who filled each field. */
export function decideChild(plan: ChildPlan, now: number, settings: Settings): SessionCreation {
  const { title, fields, fieldMeta, nextStep } = plan.document;
  const created: NewServerEvent = {
    type: "session.created",
    payload: {
      title,
      schema: plan.schema,
      review: plan.review,
      nextStep: nextStep as JsonObject | null,
      expiresAt: new Date(now + settings.defaultTtlMs).toISOString(),
      retentionMs: settings.retentionMs,
      policy: plan.policy as JsonObject | null,
      parent: plan.parent as unknown as JsonObject,
      ...optionalPayload(plan.belongs ?? null, plan.labels ?? {}, plan.location ?? null),
      document: { fields, fieldMeta: fieldMeta as unknown as JsonObject },
    },
    movesVersion: true,
    state: Object.keys(fields).length > 0 ? "in_progress" : "draft",
  };
  return {
    actor: plan.actor,
    events: [created, tokenEvent("token.issued", CREATOR, plan.token)],
    ...omitUndefined({ expiresAt: plan.expiresAt, filledAs: plan.filledAs }),
  };
}
