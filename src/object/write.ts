/**
 * One accepted write: check, decide and store in one synchronous transaction, with no await between
 * reading the version and writing it. It writes two rows: the commit, and the session with its
 * participants.
 */
import { ok, omitUndefined } from "../domain/result";
import { admit, type IssuedToken } from "../domain/participants/admission";
import type { Jurisdiction } from "../domain/session/location";
import type { Commit } from "../domain/log/commit";
import { bytesToHex } from "../domain/base64url";
import { decide } from "../domain/session/decide";
import type { DecisionContext, Decision } from "../domain/session/decision";
import type { NewCheckpoint } from "../domain/checkpoints/checkpoint";
import { withFiller } from "../domain/participants/identity";
import type { TokenHash } from "../domain/ids";
import type { JsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { endpointsOf, enqueueEndpointChange } from "../domain/notices/stored-endpoint";
import { additionOf, isProven, type Operation } from "../domain/session/operation";
import {
  clearedParticipant,
  removeParticipants,
  withToken,
} from "../domain/participants/participant";
import type { LastWrite, Participant } from "../domain/participants/participant";
import { KEY_HOLDER } from "../domain/owners/key-holder";
import { policyOf } from "../domain/stops/policy";
import { viewHandoff } from "../domain/session/view";
import type { LoadedSession } from "../storage/session-store";
import { endedChildrenOf, quotaPermitFor } from "./remote-data";
import { commitChange } from "./commit";
import type { SessionContext } from "./session-context";
import {
  emptyPage,
  identify,
  refusal,
  showText,
  Viewer,
  requireViewer,
  type IdentifiedCaller,
} from "./gate";
import type { EventPage, Reply, WriteRequest, WriteOutcome } from "./messages";
import { withJobCancellations } from "./overdue-jobs";
import { newParticipant } from "./new-participant";
import { hidingOf } from "./private-values";
import {
  CheckpointNotVerified,
  saveVerifiedCheckpoint,
  withoutCheckpoint,
} from "./verified-checkpoint";

export function executeCommand(
  context: SessionContext,
  request: WriteRequest,
  now: number,
): Reply<WriteOutcome> {
  try {
    return writeOnce(context, request, now, null);
  } catch (error) {
    if (!(error instanceof CheckpointNotVerified)) throw error;
    const { checkpoint } = error;
    const isStrict = policyOf(context.store.load()?.session.policy ?? null).strictCheckpoints;
    if (checkpoint.meta.automatic && !isStrict) return writeOnce(context, request, now, checkpoint);
    return { ok: false, failure: { code: "checkpoint_corrupt" } };
  }
}

function writeOnce(
  context: SessionContext,
  request: WriteRequest,
  now: number,
  failedCheckpoint: NewCheckpoint | null,
): Reply<WriteOutcome> {
  const caller = identify(context, request.credential, now);
  if (!caller.ok) return caller;
  const { session, participant, tokenStatus } = caller.value;
  const { command, credential } = request;
  const key = participant.bind?.key;
  const canCreate = key === undefined || context.canCreateSession(key);
  const attempt = { ...request, operation: command.operation, canCreateSession: canCreate };
  const admitted = admit(session, participant, tokenStatus, credential, attempt, now);
  if (!admitted.ok) return refusal(context, caller.value, admitted.error, now);
  if (admitted.value.kind === "replay") {
    return replay(context, caller.value, admitted.value.last, command.operation, now);
  }
  const decided = decide(command, contextOf(context, request, caller.value, now));
  if (!decided.ok) return refusal(context, caller.value, decided.error, now);
  const { plan } = decided.value;
  if (plan !== undefined) {
    const permit = quotaPermitFor(request, plan.belongs?.owner ?? null, plan.childHex);
    if (!permit.ok) return refusal(context, caller.value, permit.error, now);
  }
  const final =
    failedCheckpoint === null ? decided.value : withoutCheckpoint(decided.value, failedCheckpoint);
  return store(context, request, requireViewer(context, caller.value, now), final, now);
}

const contextOf = (
  context: SessionContext,
  request: WriteRequest,
  { session, participant, participants, plan }: IdentifiedCaller,
  now: number,
): DecisionContext => ({
  session,
  participant,
  head: context.store.head(),
  now,
  settings: context.settings(),
  currentToken: request.credential.hash,
  next: request.next,
  made: request.made,
  ...omitUndefined({ link: request.link, bound: request.bound, identity: request.identity }),
  participants,
  sessionId: context.id,
  chain: () => bytesToHex(context.store.chain()),
  ...hidingOf(context),
  ...omitUndefined({ sealed: request.sealedParts, sealedLink: request.sealedLink }),
  endpoints: () => endpointsOf(context.store.outbox()),
  endpointOwners: request.endpointOwners ?? {},
  checkpoints: () => context.checkpoints.list(),
  checkpointBody: (number) => context.checkpoints.body(number),
  uploads: () => context.uploads.list(),
  trimmableUpTo: (seq) => context.store.trimmableUpTo(seq),
  removedByTrim: (upTo) => context.store.removedByTrim(upTo),
  child: childIn(session.location?.jurisdiction, request),
  isForking: plan !== null,
  endedChildren: () => endedChildrenOf(request, session),
});

/** Null if no id was created in the jurisdiction that the child needs. */
const childIn = (
  jurisdiction: Jurisdiction | undefined,
  { child, childIn: inJurisdiction }: WriteRequest,
): string | null => {
  if (jurisdiction === undefined) return child;
  return inJurisdiction?.jurisdiction === jurisdiction ? inJurisdiction.child : null;
};

function store(
  context: SessionContext,
  request: WriteRequest,
  viewer: Viewer,
  decided: Decision,
  now: number,
): Reply<WriteOutcome> {
  const { session, participant, participants, plan } = viewer;
  const { decision, jobs } = withJobCancellations(context, decided, now);
  const actor = decision.actor ?? participant.actor;
  const { number } = participant;
  const isHeldByCookie = participant.link !== undefined;
  const isKey = number === KEY_HOLDER;
  const issued: IssuedToken[] =
    isHeldByCookie || isKey ? [] : [{ participant: number, hash: request.next }];
  if (decision.made !== undefined) {
    issued.push({ participant: decision.made.number, hash: newTokenHash(request) });
  }
  const outcomeOf = ({ first }: Commit): JsonObject => ({ ...decision.outcome, issuedSeq: first });
  const remaining = removeParticipants(decision.forgets ?? [], participants);
  /** If a participant that it created has filled and leaves, it counts as having filled itself. */
  const merged = remaining.find((one) => one.number === number) ?? participant;
  let page = null as EventPage | null;
  const participantsAfter = (stored: Commit): readonly Participant[] => {
    page = pageOf(
      context,
      decision.replayAfter,
      viewer.after({ ...viewer, session: stored.session }),
    );
    // A cookie does not rotate, because two tabs share it.
    const rotated = isHeldByCookie
      ? participant
      : withToken(participant, stored.first, request.next);
    // It moves with a resume and with its own accepted writes that move the version, and with
    // nothing else.
    const isSeen = page !== null || stored.session.version !== session.version;
    const updated: Participant = {
      ...rotated,
      actor,
      fenceSeq: page === null ? participant.fenceSeq : stored.first,
      seenVersion: isSeen ? stored.session.version : participant.seenVersion,
      cursor: page?.nextAfter ?? participant.cursor,
      filled: merged.filled || decision.filled === true,
      ...withFiller(merged, decision.filled === true, request.identity),
      last: {
        consumed: request.credential.hash,
        request: request.request,
        outcome: outcomeOf(stored),
        sealed: request.request === null ? null : request.sealed,
      },
    };
    const existing = remaining
      .map((one) => (one.number === number ? updated : one))
      .map((one) => withNewLink(one, decision.relink))
      .map((one) => (stored.session.revoked.includes(one.number) ? clearedParticipant(one) : one));
    const added =
      decision.made === undefined
        ? []
        : [newParticipant(decision.made, newTokenHash(request), participant, stored, now)];
    return [...existing, ...added];
  };
  const change = {
    by: { number: isKey ? null : number, actor, scopes: participant.scopes },
    events: decision.events,
    trace: request.credential.trace,
    issued,
    extraWrites: ({ first }: Commit) => {
      const { endpoint } = decision;
      if (endpoint !== undefined) {
        context.store.saveOutbox(
          enqueueEndpointChange(context.store.outbox(), endpoint, first),
          true,
        );
      }
      for (const job of jobs) context.jobs.update(job);
      storeCheckpoints(context, decision);
      if (decision.upload !== undefined) context.uploads.save(decision.upload);
      if (decision.private !== undefined) context.privates.change(decision.private);
    },
    row: {
      participants: participantsAfter,
      plan: decision.plan ?? plan,
      adds: additionOf(request.command.operation),
    },
  };
  const { commit, loaded } = commitChange(context, session, now, change);
  if (loaded === null) throw new Error("unreachable: the session's row changed");
  const end = isProven(request.command.operation) ? context.store.chainAt(commit.last) : null;
  const answer = { outcome: outcomeOf(commit), page, end, replayed: null };
  return toReply(context, loaded, viewer.after(loaded), number, answer);
}

/** The same response to the same request; of the content only what the caller may see now. */
function replay(
  context: SessionContext,
  caller: IdentifiedCaller,
  last: LastWrite,
  operation: Operation,
  now: number,
): Reply<WriteOutcome> {
  const viewer = Viewer.of(context, caller, now, "newest");
  const recorded = last.outcome["after"];
  const after = typeof recorded === "number" ? recorded : undefined;
  const page =
    viewer === null && after !== undefined
      ? emptyPage(context, caller, after)
      : pageOf(context, after, viewer);
  const { number } = caller.participant;
  const isShown = viewer !== null && isProven(operation);
  const end = isShown ? viewer.chainAt(Number(last.outcome["issuedSeq"])) : null;
  const answer = { outcome: last.outcome, page, end, replayed: last };
  return toReply(context, caller, viewer, number, answer);
}

interface OutcomeParts extends Pick<WriteOutcome, "outcome" | "page" | "end"> {
  readonly replayed: LastWrite | null;
}
function toReply(
  context: SessionContext,
  loaded: LoadedSession,
  viewer: Viewer | null,
  participant: number,
  { outcome, page, end, replayed }: OutcomeParts,
): Reply<WriteOutcome> {
  const created = loaded.participants.find((one) => one.number === outcome["participant"]);
  return ok({
    session: showText(context, loaded, viewer),
    participant,
    issuedSeq: Number(outcome["issuedSeq"]),
    outcome: viewer === null ? withoutContent(outcome) : outcome,
    replayed: replayed !== null,
    sealed: replayed?.sealed ?? null,
    handoff: created === undefined ? null : viewHandoff(created, loaded.session),
    page,
    end,
    child: null,
  });
}

/** The prompt of a fork contains parts of the document. */
const withoutContent = (outcome: JsonObject): JsonObject =>
  "prompt" in outcome ? { ...outcome, prompt: "" } : outcome;

function withNewLink(one: Participant, relink: Decision["relink"]): Participant {
  if (relink?.number !== one.number) return one;
  const { link, expiresAt = one.expiresAt, ring = one.ring } = relink;
  return { ...one, link, expiresAt, ...(ring === undefined ? {} : { ring }) };
}

/** Stores a new checkpoint, pins and removals, and trims the log. */
function storeCheckpoints({ store: rows, checkpoints }: SessionContext, decision: Decision): void {
  const { checkpoint, pin, deletedCheckpoint, trimUpTo } = decision;
  if (checkpoint !== undefined) saveVerifiedCheckpoint(checkpoints, checkpoint);
  if (pin !== undefined) checkpoints.pin(pin.number, pin.pinned);
  if (deletedCheckpoint !== undefined) checkpoints.remove(deletedCheckpoint);
  if (trimUpTo !== undefined) rows.trim(trimUpTo);
}

function pageOf(
  context: SessionContext,
  after: number | undefined,
  viewer: Viewer | null,
): EventPage | null {
  if (after === undefined || viewer === null) return null;
  const from = (seq: number): EventPage =>
    viewer.page({ after: seq, limit: LIMITS.pageEvents, types: [] });
  if (after >= (viewer.session.trimmed?.floor ?? 0)) return from(after);
  // A repeated resume from before a trim: an empty page with "more" rather than a page with a gap,
  // because reading on then reports what bridges the gap.
  return { ...from(context.store.head()), nextAfter: after, more: true };
}

function newTokenHash({ made: token }: WriteRequest): TokenHash {
  if (token === null) throw new Error("who makes a participant brings its token's hash");
  return token;
}
