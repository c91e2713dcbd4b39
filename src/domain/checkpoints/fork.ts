/**
 * Forks a new session from this one. The parent commits first and stores the child's plan until the
 * child exists. Creating the child is a second step that can safely be repeated.
 */
import type { Actor } from "../participants/actor";
import { withFiller, fillersOf, fillersProblem, type Identity } from "../participants/identity";
import type { Binding } from "../participants/binding";
import {
  checkpointBodyOf,
  checkpointId,
  readCheckpoint,
  withAutomaticCheckpoint,
} from "./checkpoint";
import type { CheckpointBody } from "./checkpoint";
import { renderPrompt } from "./continuation-prompt";
import { lastUploadNumber } from "../files/upload";
import type { DecisionContext, DecisionResult } from "../session/decision";
import type { NewServerEvent } from "../log/event";
import { invalid, tooLarge, type Failure } from "../failure";
import { sessionIdFromHex, type SessionId, type TokenHash } from "../ids";
import type { JsonObject } from "../json";
import { LIMITS } from "../limits";
import { inheritedOwnership, type Ownership, type Labels } from "../owners/ownership";
import type { PolicyChoice } from "../stops/policy";
import { ok, refuse } from "../result";
import { reviewRules } from "../session/review-rules";
import { withheldFields } from "../session/private-values";
import type { Location } from "../session/location";
import type { Parent } from "../session/session";
import { isTerminal } from "../session/state";

export interface ForkCommand {
  readonly operation: "fork";
  /** The number of a checkpoint. If absent, the child gets the current document. */
  readonly from?: number | undefined;
  readonly reason: string;
  readonly finalizeParent?: boolean | undefined;
  readonly template?: string | undefined;
}

/** Everything that the child's first commit contains, fixed by the parent's commit. */
export interface ChildPlan {
  readonly childHex: string;
  readonly token: TokenHash;
  readonly actor: Actor;
  readonly document: CheckpointBody;
  readonly schema: JsonObject | null;
  readonly review: ReturnType<typeof reviewRules>;
  readonly policy: PolicyChoice | null;
  readonly parent: Parent;
  /** The participant that forks continues in the child, with the same binding and no later end. */
  readonly bind?: Binding;
  readonly expiresAt?: number;
  /** Who filled the inherited fields, and who forked. None of them may approve the child. */
  readonly filledAs?: readonly Identity[];
  /** The child has the parent's owner and labels. The external id stays with the parent. */
  readonly belongs?: Ownership;
  readonly labels?: Labels;
  /** The child is stored in the same location as its parent. */
  readonly location?: Location;
}

export function fork(command: ForkCommand, context: DecisionContext): DecisionResult {
  const { session, participant, child, made: newToken } = context;
  if (child === null && session.location?.jurisdiction !== undefined)
    return refuse(JURISDICTION_GONE);
  if (child === null || newToken === null)
    throw new Error("a fork needs its child's id and token hash");
  // Ended children are looked up only if the limit is reached.
  const isFull = session.children.length >= LIMITS.children;
  const ended = isFull ? context.endedChildren() : [];
  if (isFull && ended.length === 0) return refuse(tooLarge("the number of forks", LIMITS.children));
  const fillersFailure = fillersProblem(context.participants, context.identity);
  if (fillersFailure !== null) return refuse(fillersFailure);
  if (context.isForking) return refuse({ code: "busy", retryAfterMs: 1_000 });
  const source =
    command.from === undefined
      ? ok(checkpointBodyOf(session))
      : readCheckpoint(command.from, context);
  if (!source.ok) return source;
  const childId: SessionId = sessionIdFromHex(child);
  if (command.finalizeParent === true && isTerminal(session.state)) {
    return refuse(invalid("the parent has already ended", "finalizeParent"));
  }
  const document = withoutPrivate(source.value, session.schema);
  const prompt = renderPrompt(document.nextStep, command.template);
  if (!prompt.ok) return prompt;
  const withheldNames = withheldFields(session.schema, source.value.fields);
  const forked: NewServerEvent = {
    type: "session.forked",
    payload: {
      child: childId,
      reason: command.reason,
      ...(command.from === undefined ? {} : { from: checkpointId(command.from) }),
      ...(withheldNames.length === 0 ? {} : { withheld: withheldNames }),
      ...(ended.length === 0 ? {} : { ended }),
      outcome: "success",
    },
  };
  const finalized: NewServerEvent = {
    type: "session.finalized",
    payload: { reason: command.reason, forkedTo: childId },
    movesVersion: true,
    state: "finalized",
  };
  const uploads = lastUploadNumber(context);
  const plan: ChildPlan = {
    childHex: child,
    token: newToken,
    actor: participant.actor,
    document,
    schema: session.schema,
    review: reviewRules(session.review),
    policy: session.policy,
    parent: {
      sessionId: context.sessionId,
      seq: context.head,
      chain: context.chain(),
      reason: command.reason,
      ...(uploads === 0 ? {} : { uploads }),
    },
    ...(participant.bind === undefined ? {} : { bind: participant.bind }),
    ...(participant.expiresAt === null ? {} : { expiresAt: participant.expiresAt }),
    ...withFiller({ filledAs: fillersOf(context.participants) }, true, context.identity),
    ...(session.belongs === null ? {} : { belongs: inheritedOwnership(session.belongs) }),
    ...(Object.keys(session.labels).length === 0 ? {} : { labels: session.labels }),
    ...(session.location === null ? {} : { location: session.location }),
  };
  return withAutomaticCheckpoint(context, {
    events: command.finalizeParent === true ? [forked, finalized] : [forked],
    outcome: { child, prompt: prompt.value },
    plan,
  });
}

/** The setting existed when the parent was created. */
const JURISDICTION_GONE: Failure = {
  code: "not_configured",
  setting: "FILES_JURISDICTION",
  detail:
    "The session is kept in a jurisdiction that this server no longer has, so it cannot be forked.",
};

/** Private values stay in the parent. Otherwise erasing one there would leave a copy here. */
function withoutPrivate(document: CheckpointBody, schema: JsonObject | null): CheckpointBody {
  const withheldNames = withheldFields(schema, document.fields);
  if (withheldNames.length === 0) return document;
  const isIncluded = ([field]: readonly [string, unknown]): boolean =>
    !withheldNames.includes(field);
  return {
    ...document,
    fields: Object.fromEntries(Object.entries(document.fields).filter(isIncluded)),
    fieldMeta: Object.fromEntries(Object.entries(document.fieldMeta).filter(isIncluded)),
  };
}
