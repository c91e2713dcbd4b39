/** Submitting, requesting input, and the decisions of reviewers. */
import type { Approve, Reject, RequestChanges, RequestInput } from "./command";
import type { DecisionContext, DecisionResult } from "./decision";
import { participantId } from "../ids";
import { utf8Bytes } from "../json";
import { LIMITS } from "../limits";
import { allowedOperations } from "./operation";
import { revealPrivate } from "./private-values";
import { ok, refuse, omitUndefined } from "../result";
import { identityProblem, identityInvolvement } from "../participants/identity";
import { approvalProblem, OWN_WORK } from "../participants/rights";
import { pickTerms } from "../links/terms";
import { checkDocument } from "./validation";

export function submit({ session, privateValues }: DecisionContext): DecisionResult {
  const { schema, fields } = session;
  const problems = checkDocument(schema, revealPrivate(schema, fields, privateValues));
  if (problems.length > 0) {
    const isMissing = problems.some(({ problem }) => problem === "missing");
    return refuse({ code: isMissing ? "missing_fields" : "invalid_fields", problems });
  }
  const state = session.review.required ? "needs_review" : "submitted";
  const events = [{ type: "session.submitted", payload: {}, movesVersion: true, state }] as const;
  return ok({ events, outcome: {}, filled: true });
}

export function requestInput(command: RequestInput, { now }: DecisionContext): DecisionResult {
  const terms = pickTerms({ ...command, ask: command.ask ?? command.fields });
  const { remindAfterMs } = command;
  const payload = {
    ...omitUndefined({ note: command.note, fields: command.fields }),
    ...terms,
    ...(remindAfterMs === undefined
      ? {}
      : { remindAt: new Date(now + remindAfterMs).toISOString() }),
  };
  const type = "session.input_requested";
  const events = [{ type, payload, movesVersion: true, state: "awaiting_input" }] as const;
  return ok({ events, outcome: {}, filled: true });
}

export function approve(command: Approve, context: DecisionContext): DecisionResult {
  const { session, participant } = context;
  const involvement = identityInvolvement(session.review, context.participants, context.identity);
  const denied =
    identityProblem(session.review, context.identity) ??
    approvalProblem(participant, context.participants) ??
    (involvement === "filled" ? OWN_WORK : null);
  if (denied !== null) return refuse(denied);
  const reviewer = participantId(participant.number);
  const { approvedBy, approvals } = session.review;
  const isRepeated = approvedBy.some((approval) => approval.participant === reviewer);
  if (isRepeated || involvement === "approved") {
    return refuse({
      code: "illegal_transition",
      from: session.state,
      operation: "approve",
      allowed: allowedOperations(session.state),
      why: "already_approved",
    });
  }
  const approvalCount = approvedBy.length + 1;
  const payload = {
    participant: reviewer,
    given: approvalCount,
    needed: approvals,
    ...omitUndefined({ comment: command.comment }),
    ...identityMember(context),
  };
  const state = approvalCount >= approvals ? "approved" : "needs_review";
  return ok({
    events: [{ type: "review.approved", payload, movesVersion: true, state }],
    outcome: {},
  });
}

/** The reviewer's identity, if known. */
const identityMember = ({ identity }: DecisionContext) =>
  identity === undefined ? {} : { identity };

export function reject(command: Reject, context: DecisionContext): DecisionResult {
  const denied = identityProblem(context.session.review, context.identity);
  if (denied !== null) return refuse(denied);
  const payload = { ...omitUndefined({ reason: command.reason }), ...identityMember(context) };
  const events = [
    { type: "review.rejected", payload, movesVersion: true, state: "rejected" },
  ] as const;
  return ok({ events, outcome: {} });
}

export function requestChanges(command: RequestChanges, context: DecisionContext): DecisionResult {
  const denied = identityProblem(context.session.review, context.identity);
  if (denied !== null) return refuse(denied);
  const { comment, fields = {} } = command;
  const payload = { fields, ...omitUndefined({ comment }), ...identityMember(context) };
  if (utf8Bytes(JSON.stringify(payload)) > LIMITS.eventBytes) {
    return refuse({ code: "too_large", what: "the comments, in bytes", limit: LIMITS.eventBytes });
  }
  const type = "review.changes_requested";
  const events = [{ type, payload, movesVersion: true, state: "awaiting_input" }] as const;
  return ok({ events, outcome: {} });
}
