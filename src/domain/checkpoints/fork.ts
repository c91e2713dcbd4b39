/**
 * A new session out of this one. The parent commits first and keeps what the child needs until the
 * child exists; making the child is a second step that can be repeated without harm.
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
import type { NewEvent } from "../log/event";
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
  /** A checkpoint's number; absent: the document as it is now. */
  readonly from?: number | undefined;
  readonly reason: string;
  readonly finalizeParent?: boolean | undefined;
  readonly template?: string | undefined;
}

/** Everything the child's first commit says, fixed when the parent committed. */
export interface ChildPlan {
  readonly childHex: string;
  readonly token: TokenHash;
  readonly actor: Actor;
  readonly document: CheckpointBody;
  readonly schema: JsonObject | null;
  readonly review: ReturnType<typeof reviewRules>;
  readonly policy: PolicyChoice | null;
  readonly parent: Parent;
  /** Whoever forks goes on in the child, bound as before and no longer than before. */
  readonly bind?: Binding;
  readonly expiresAt?: number;
  /** Who filled what the child begins with, and who forked: none of them may approve the child either. */
  readonly filledAs?: readonly Identity[];
  /** The child is the same owner's, under the same labels. A name of the owner's own stays the parent's. */
  readonly belongs?: Ownership;
  readonly labels?: Labels;
  /** The child is kept where its parent is. */
  readonly location?: Location;
}

export function fork(command: ForkCommand, context: DecisionContext): DecisionResult {
  const { session, participant, child, made } = context;
  if (child === null && session.location?.jurisdiction !== undefined)
    return refuse(JURISDICTION_GONE);
  if (child === null || made === null)
    throw new Error("a fork brings its child's id and token hash");
  // Those that ended are looked for only where there is no room without it.
  const isFull = session.children.length >= LIMITS.children;
  const ended = isFull ? context.endedChildren() : [];
  if (isFull && ended.length === 0) return refuse(tooLarge("the number of forks", LIMITS.children));
  const crowd = fillersProblem(context.participants, context.identity);
  if (crowd !== null) return refuse(crowd);
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
  const left = withheldFields(session.schema, source.value.fields);
  const forked: NewEvent = {
    type: "session.forked",
    payload: {
      child: childId,
      reason: command.reason,
      ...(command.from === undefined ? {} : { from: checkpointId(command.from) }),
      ...(left.length === 0 ? {} : { withheld: left }),
      ...(ended.length === 0 ? {} : { ended }),
      outcome: "success",
    },
  };
  const finalized: NewEvent = {
    type: "session.finalized",
    payload: { reason: command.reason, forkedTo: childId },
    moves: true,
    state: "finalized",
  };
  const uploads = lastUploadNumber(context);
  const plan: ChildPlan = {
    childHex: child,
    token: made,
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
    facts: command.finalizeParent === true ? [forked, finalized] : [forked],
    outcome: { child, prompt: prompt.value },
    plan,
  });
}

/** It was once set when the parent began. */
const JURISDICTION_GONE: Failure = {
  code: "not_configured",
  setting: "FILES_JURISDICTION",
  why: "The session is kept in a jurisdiction that this server no longer has, so it cannot be forked.",
};

/** What was private stays in the parent: erasing it there must not leave it here. */
function withoutPrivate(document: CheckpointBody, schema: JsonObject | null): CheckpointBody {
  const left = withheldFields(schema, document.fields);
  if (left.length === 0) return document;
  const isKept = ([field]: readonly [string, unknown]): boolean => !left.includes(field);
  return {
    ...document,
    fields: Object.fromEntries(Object.entries(document.fields).filter(isKept)),
    fieldMeta: Object.fromEntries(Object.entries(document.fieldMeta).filter(isKept)),
  };
}
