/**
 * Checkpoints: copies of a session's document at a seq of its log, verified by size and hash. If
 * there are too many, a new one replaces the oldest unpinned one. A participant without `own`
 * replaces only its own checkpoints.
 */
import type { DecisionResult, DecisionContext, Decision } from "../session/decision";
import type { NewServerEvent } from "../log/event";
import type {
  ExistingCheckpointCommand,
  PinCheckpoint,
  CreateCheckpoint,
} from "../session/command";
import { invalid, tooLarge } from "../failure";
import { canonicalJson, utf8Bytes, type Json, type JsonObject } from "../json";
import { LIMITS } from "../limits";
import type { Participant } from "../participants/participant";
import { policyOf } from "../stops/policy";
import { ok, refuse, type Result } from "../result";
import { isOwner } from "../participants/rights";
import { markErased } from "../session/private-values";
import type { FieldMeta, NextStep, Session } from "../session/session";

export interface CheckpointMeta {
  readonly number: number;
  readonly name: string;
  /** Head and version of the session when the checkpoint was created. */
  readonly seq: number;
  readonly version: number;
  readonly at: number;
  readonly automatic: boolean;
  readonly pinned: boolean;
  readonly bytes: number;
  readonly sha256: string;
  /** The participant that created it; null if unknown. */
  readonly madeBy: number | null;
}

export interface NewCheckpoint {
  readonly meta: CheckpointMeta;
  readonly body: string;
  /** The number of the checkpoint that it replaces. */
  readonly replaces: number | null;
}

/** The content of a checkpoint. */
export interface CheckpointBody {
  readonly title: string | null;
  readonly fields: Readonly<Record<string, Json>>;
  readonly fieldMeta: Readonly<Record<string, FieldMeta>>;
  readonly nextStep: NextStep | null;
}

export const checkpointId = (number: number): string => `chk_${number}`;

export const checkpointBodyOf = ({
  title,
  fields,
  fieldMeta,
  nextStep,
}: Session): CheckpointBody => ({
  title,
  fields,
  fieldMeta,
  nextStep,
});

/** YYYYMMDD-HHMMSS, in UTC. */
const timestampName = (now: number): string =>
  new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");

function buildCheckpoint(
  context: DecisionContext,
  options: Pick<CreateCheckpoint, "name" | "pinned">,
  automatic: boolean,
): Result<NewCheckpoint> {
  const { session, participant, head, now, digest } = context;
  const existing = context.checkpoints();
  const { keepCheckpoints } = policyOf(session.policy);
  const replaces = checkpointToReplace(existing, keepCheckpoints, session, participant);
  if (replaces === "full") {
    const what = "the number of checkpoints that cannot be replaced";
    return refuse(tooLarge(what, LIMITS.checkpoints));
  }
  const body = canonicalJson(checkpointBodyOf(session));
  const number = Math.max(0, session.checkpointsMade, ...existing.map((one) => one.number)) + 1;
  const meta: CheckpointMeta = {
    number,
    name: options.name ?? timestampName(now),
    seq: head,
    version: session.version,
    at: now,
    automatic,
    pinned: options.pinned ?? false,
    bytes: utf8Bytes(body),
    sha256: digest(body),
    madeBy: participant.number,
  };
  return ok({ meta, body, replaces });
}

/**
 * The number of the checkpoint to replace, null if none has to be replaced, or "full" if none can
 * be.
 */
function checkpointToReplace(
  existing: readonly CheckpointMeta[],
  limit: number,
  session: Session,
  creator: Participant,
): number | null | "full" {
  if (existing.length < limit) return null;
  const oldest = existing
    .filter((one) => !one.pinned && !isBridge(one, session))
    .filter((one) => isOwner(creator) || one.madeBy === creator.number)
    .sort((a, b) => a.number - b.number)[0];
  if (oldest !== undefined) return oldest.number;
  return existing.length < LIMITS.checkpoints ? null : "full";
}

/** This checkpoint bridges the trimmed part of the log. Without it the log would have a gap. */
const isBridge = ({ number }: CheckpointMeta, { trimmed }: Session): boolean =>
  trimmed?.checkpoint.id === checkpointId(number);

const checkpointCreatedEvent = ({ meta, replaces }: NewCheckpoint): NewServerEvent => ({
  type: "checkpoint.created",
  payload: {
    ...viewCheckpoint(meta),
    outcome: "success",
    ...(replaces === null ? {} : { pruned: checkpointId(replaces) }),
  },
});

/** An automatic checkpoint could not be stored. The operation that it was to protect continues. */
export const checkpointFailedEvent = (
  { name, automatic }: Pick<CheckpointMeta, "name" | "automatic">,
  reason: string,
): NewServerEvent => ({
  type: "checkpoint.failed",
  payload: { name, automatic, outcome: "failure", reason },
});

export const viewCheckpoint = (meta: CheckpointMeta) => ({
  id: checkpointId(meta.number),
  name: meta.name,
  seq: meta.seq,
  version: meta.version,
  createdAt: new Date(meta.at).toISOString(),
  automatic: meta.automatic,
  pinned: meta.pinned,
  bytes: meta.bytes,
  sha256: meta.sha256,
});

export function createCheckpoint(
  command: CreateCheckpoint,
  context: DecisionContext,
): DecisionResult {
  const built = buildCheckpoint(context, command, false);
  if (!built.ok) return built;
  const { value: checkpoint } = built;
  const outcome = { checkpoint: viewCheckpoint(checkpoint.meta) };
  return ok({ events: [checkpointCreatedEvent(checkpoint)], outcome, checkpoint });
}

export function pinCheckpoint(command: PinCheckpoint, context: DecisionContext): DecisionResult {
  const found = findCheckpoint(command.checkpoint, context);
  if (!found.ok) return found;
  const { pinned } = command;
  const meta = { ...found.value, pinned };
  const event: NewServerEvent = {
    type: pinned ? "checkpoint.pinned" : "checkpoint.unpinned",
    payload: {
      id: checkpointId(meta.number),
      outcome: found.value.pinned === pinned ? "skipped" : "success",
    },
  };
  return ok({
    events: [event],
    outcome: { checkpoint: viewCheckpoint(meta) },
    pin: { number: meta.number, pinned },
  });
}

export function deleteCheckpoint(
  command: ExistingCheckpointCommand,
  context: DecisionContext,
): DecisionResult {
  const found = findCheckpoint(command.checkpoint, context);
  if (!found.ok) return found;
  if (isBridge(found.value, context.session)) {
    return refuse(
      invalid("this checkpoint bridges the trimmed log and cannot be removed", "checkpointId"),
    );
  }
  const payload = { id: checkpointId(command.checkpoint), outcome: "success" as const };
  return ok({
    events: [{ type: "checkpoint.deleted", payload }],
    outcome: {},
    deletedCheckpoint: command.checkpoint,
  });
}

/**
 * A normal write that moves the version. The document before it is stored as an automatic
 * checkpoint.
 */
export function restoreCheckpoint(
  command: ExistingCheckpointCommand,
  context: DecisionContext,
): DecisionResult {
  const copied = readCheckpoint(command.checkpoint, context);
  if (!copied.ok) return copied;
  const { session, privateValues, now } = context;
  const at = new Date(now).toISOString();
  const { document, erased } = markErased(session.schema, copied.value, privateValues, at);
  const event: NewServerEvent = {
    type: "checkpoint.restored",
    payload: {
      id: checkpointId(command.checkpoint),
      document: document as unknown as JsonObject,
      ...(erased.length === 0 ? {} : { erased }),
      outcome: "success",
    },
    movesVersion: true,
    state: "in_progress",
  };
  return withAutomaticCheckpoint(context, { events: [event], outcome: {}, filled: true });
}

/** Adds an automatic checkpoint before the events of the decision. */
export function withAutomaticCheckpoint(
  context: DecisionContext,
  decision: Decision,
): DecisionResult {
  const built = buildCheckpoint(context, {}, true);
  if (built.ok) {
    return ok({
      ...decision,
      events: [checkpointCreatedEvent(built.value), ...decision.events],
      checkpoint: built.value,
    });
  }
  if (policyOf(context.session.policy).strictCheckpoints) return built;
  const failed = { name: timestampName(context.now), automatic: true };
  const warning = checkpointFailedEvent(failed, "there is no room for an automatic checkpoint");
  return ok({ ...decision, events: [warning, ...decision.events] });
}

/** The content of the checkpoint, if it exists and its size and hash still match. */
export function readCheckpoint(number: number, context: DecisionContext): Result<CheckpointBody> {
  const found = findCheckpoint(number, context);
  if (!found.ok) return found;
  const body = context.checkpointBody(number);
  const { bytes, sha256 } = found.value;
  if (body === null || utf8Bytes(body) !== bytes || context.digest(body) !== sha256) {
    return refuse({ code: "checkpoint_corrupt" });
  }
  return ok(JSON.parse(body) as CheckpointBody);
}

function findCheckpoint(number: number, context: DecisionContext): Result<CheckpointMeta> {
  const meta = context.checkpoints().find((one) => one.number === number);
  return meta === undefined ? refuse({ code: "not_found", what: "checkpoint" }) : ok(meta);
}

/** Removes client and job events below a checkpoint, up to the new floor. */
export function trimLog(
  command: ExistingCheckpointCommand,
  context: DecisionContext,
): DecisionResult {
  const found = findCheckpoint(command.checkpoint, context);
  if (!found.ok) return found;
  // Only the checkpoint replaces the removed events, so it must be intact.
  const content = readCheckpoint(command.checkpoint, context);
  if (!content.ok) return content;
  const { number, name, seq } = found.value;
  const before = context.session.trimmed?.floor ?? 0;
  const trimmable = context.trimmableUpTo(seq);
  // Events left below the floor remain only for their keys. The floor never moves down.
  const floor = trimmable === null || trimmable <= before ? null : trimmable;
  const payload = {
    floor: floor ?? before,
    checkpoint: { id: checkpointId(number), name, seq },
    ...(floor === null ? {} : { removed: context.removedByTrim(floor) }),
    outcome: floor === null ? ("skipped" as const) : ("success" as const),
  };
  return ok({
    events: [{ type: "session.trimmed", payload }],
    outcome: { floor: payload.floor, trimmed: floor !== null },
    ...(floor === null ? {} : { trimUpTo: floor }),
  });
}
