/**
 * One accepted write: check, decide and store in one synchronous transaction, with no await between
 * reading the version and writing it. Two rows: the commit, and the session with everybody in it.
 */
import { ok, onlyGiven } from "../domain/result";
import { admit, type IssuedToken } from "../domain/participants/admission";
import type { Jurisdiction } from "../domain/session/location";
import type { Commit } from "../domain/log/commit";
import { bytesToHex } from "../domain/base64url";
import { decide } from "../domain/session/decide";
import type { Context, Decision } from "../domain/session/decision";
import type { NewCheckpoint } from "../domain/checkpoints/checkpoint";
import { filledBy } from "../domain/participants/identity";
import type { TokenHash } from "../domain/ids";
import type { JsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { endpointsOf, withEndpoint } from "../domain/notices/stored-endpoint";
import { additionOf, isProven, type Operation } from "../domain/session/operation";
import { emptied, without, withToken } from "../domain/participants/participant";
import type { LastWrite, Participant } from "../domain/participants/participant";
import { KEY_HOLDER } from "../domain/owners/key-holder";
import { policyOf } from "../domain/stops/policy";
import { viewHandoff } from "../domain/session/view";
import type { Loaded } from "../storage/session-store";
import { endedAmong, vacancyFor } from "./ask-first";
import { commitChange } from "./commit";
import type { Room } from "./room";
import { emptyPage, identify, refusal, showText, Viewer, viewerOf, type Received } from "./gate";
import type { Page, Reply, WriteRequest, Written } from "./messages";
import { endingWithJobs } from "./overdue-jobs";
import { madeParticipant } from "./made-participant";
import { hidingOf } from "./private";
import { CopyFailed, saveVerified, withoutCopy } from "./safety-copy";

export function write(room: Room, request: WriteRequest, now: number): Reply<Written> {
  try {
    return writeOnce(room, request, now, null);
  } catch (error) {
    if (!(error instanceof CopyFailed)) throw error;
    const { checkpoint } = error;
    const isStrict = policyOf(room.store.load()?.session.policy ?? null).strictCheckpoints;
    if (checkpoint.meta.automatic && !isStrict) return writeOnce(room, request, now, checkpoint);
    return { ok: false, failure: { code: "checkpoint_corrupt" } };
  }
}

function writeOnce(
  room: Room,
  request: WriteRequest,
  now: number,
  failedCopy: NewCheckpoint | null,
): Reply<Written> {
  const received = identify(room, request.credential, now);
  if (!received.ok) return received;
  const { session, participant, standing } = received.value;
  const { command, credential } = request;
  const key = participant.bind?.key;
  const mayBegin = key === undefined || room.mayBegin(key);
  const attempt = { ...request, operation: command.operation, mayBegin };
  const admitted = admit(session, participant, standing, credential.hash, attempt, now);
  if (!admitted.ok) return refusal(room, received.value, admitted.error, now);
  if (admitted.value.kind === "replay") {
    return replay(room, received.value, admitted.value.last, command.operation, now);
  }
  const decided = decide(command, contextOf(room, request, received.value, now));
  if (!decided.ok) return refusal(room, received.value, decided.error, now);
  const { plan } = decided.value;
  if (plan !== undefined) {
    const vacancy = vacancyFor(request, plan.belongs?.owner ?? null, plan.childHex);
    if (!vacancy.ok) return refusal(room, received.value, vacancy.error, now);
  }
  const copied = failedCopy === null ? decided.value : withoutCopy(decided.value, failedCopy);
  return store(room, request, viewerOf(room, received.value, now), copied, now);
}

const contextOf = (
  room: Room,
  request: WriteRequest,
  { session, participant, participants, plan }: Received,
  now: number,
): Context => ({
  session,
  participant,
  head: room.store.head(),
  now,
  settings: room.settings(),
  presented: request.credential.hash,
  next: request.next,
  made: request.made,
  ...onlyGiven({ link: request.link, bound: request.bound, identity: request.identity }),
  participants,
  sessionId: room.id,
  chain: () => bytesToHex(room.store.chain()),
  ...hidingOf(room),
  ...onlyGiven({ sealed: request.sealedParts, sealedLink: request.sealedLink }),
  endpoints: () => endpointsOf(room.store.news()),
  endpointOwners: request.endpointOwners ?? {},
  checkpoints: () => room.checkpoints.list(),
  checkpointBody: (number) => room.checkpoints.body(number),
  uploads: () => room.uploads.list(),
  trimmableUpTo: (seq) => room.store.trimmableUpTo(seq),
  child: childIn(session.location?.jurisdiction, request),
  isForking: plan !== null,
  endedChildren: () => endedAmong(request, session),
});

/** Null where no id was made in the jurisdiction that it needs. */
const childIn = (
  jurisdiction: Jurisdiction | undefined,
  { child, childIn: there }: WriteRequest,
): string | null => {
  if (jurisdiction === undefined) return child;
  return there?.jurisdiction === jurisdiction ? there.child : null;
};

function store(
  room: Room,
  request: WriteRequest,
  viewer: Viewer,
  decided: Decision,
  now: number,
): Reply<Written> {
  const { session, participant, participants, plan } = viewer;
  const { decision, jobs } = endingWithJobs(room, decided, now);
  const actor = decision.actor ?? participant.actor;
  const { number } = participant;
  const isHeldByCookie = participant.link !== undefined;
  const isKey = number === KEY_HOLDER;
  const issued: IssuedToken[] =
    isHeldByCookie || isKey ? [] : [{ participant: number, hash: request.next }];
  if (decision.made !== undefined) {
    issued.push({ participant: decision.made.number, hash: madeHash(request) });
  }
  const outcomeOf = ({ first }: Commit): JsonObject => ({ ...decision.outcome, issuedSeq: first });
  const left = without(decision.forgets ?? [], participants);
  /** Somebody it made has filled and leaves: then it counts as if it had filled itself. */
  const heir = left.find((one) => one.number === number) ?? participant;
  let page = null as Page | null;
  const everybodyAfter = (made: Commit): readonly Participant[] => {
    page = pageOf(room, decision.replayAfter, viewer.after({ ...viewer, session: made.session }));
    // A cookie does not rotate: two tabs share it.
    const rotated = isHeldByCookie ? participant : withToken(participant, made.first, request.next);
    // It moves with resume and with own accepted writes that move the version; with nothing else.
    const isSeen = page !== null || made.session.version !== session.version;
    const acted: Participant = {
      ...rotated,
      actor,
      fenceSeq: page === null ? participant.fenceSeq : made.first,
      seenVersion: isSeen ? made.session.version : participant.seenVersion,
      cursor: page?.nextAfter ?? participant.cursor,
      filled: heir.filled || decision.filled === true,
      ...filledBy(heir, decision.filled === true, request.identity),
      last: {
        consumed: request.credential.hash,
        request: request.request,
        outcome: outcomeOf(made),
        sealed: request.request === null ? null : request.sealed,
      },
    };
    const everybody = left
      .map((one) => (one.number === number ? acted : one))
      .map((one) => relinked(one, decision.relink))
      .map((one) => (made.session.revoked.includes(one.number) ? emptied(one) : one));
    const others =
      decision.made === undefined
        ? []
        : [madeParticipant(decision.made, madeHash(request), participant, made, now)];
    return [...everybody, ...others];
  };
  const change = {
    by: { number: isKey ? null : number, actor, scopes: participant.scopes },
    facts: decision.facts,
    trace: request.credential.trace,
    issued,
    beside: ({ first }: Commit) => {
      const { endpoint } = decision;
      if (endpoint !== undefined) {
        room.store.keepNews(withEndpoint(room.store.news(), endpoint, first), true);
      }
      for (const job of jobs) room.jobs.update(job);
      storeCopies(room, decision);
      if (decision.upload !== undefined) room.uploads.save(decision.upload);
      if (decision.private !== undefined) room.privates.change(decision.private);
    },
    row: {
      participants: everybodyAfter,
      plan: decision.plan ?? plan,
      adds: additionOf(request.command.operation),
    },
  };
  const { commit, loaded } = commitChange(room, session, now, change);
  if (loaded === null) throw new Error("unreachable: the session's row changed");
  const end = isProven(request.command.operation) ? room.store.chainAt(commit.last) : null;
  const answer = { outcome: outcomeOf(commit), page, end, replayed: null };
  return written(room, loaded, viewer.after(loaded), number, answer);
}

/** The same answer to the same request; of content only what its presenter may see now. */
function replay(
  room: Room,
  received: Received,
  last: LastWrite,
  operation: Operation,
  now: number,
): Reply<Written> {
  const viewer = Viewer.of(room, received, now, "newest");
  const given = last.outcome["after"];
  const after = typeof given === "number" ? given : undefined;
  const page =
    viewer === null && after !== undefined
      ? emptyPage(room, received, after)
      : pageOf(room, after, viewer);
  const { number } = received.participant;
  const isShown = viewer !== null && isProven(operation);
  const end = isShown ? viewer.chainAt(Number(last.outcome["issuedSeq"])) : null;
  const answer = { outcome: last.outcome, page, end, replayed: last };
  return written(room, received, viewer, number, answer);
}

interface Answered extends Pick<Written, "outcome" | "page" | "end"> {
  readonly replayed: LastWrite | null;
}
function written(
  room: Room,
  loaded: Loaded,
  viewer: Viewer | null,
  participant: number,
  { outcome, page, end, replayed }: Answered,
): Reply<Written> {
  const made = loaded.participants.find((one) => one.number === outcome["participant"]);
  return ok({
    session: showText(room, loaded, viewer),
    participant,
    issuedSeq: Number(outcome["issuedSeq"]),
    outcome: viewer === null ? withoutContent(outcome) : outcome,
    replayed: replayed !== null,
    sealed: replayed?.sealed ?? null,
    handoff: made === undefined ? null : viewHandoff(made, loaded.session),
    page,
    end,
    child: null,
  });
}

/** The prompt of a fork is written from the document. */
const withoutContent = (outcome: JsonObject): JsonObject =>
  "prompt" in outcome ? { ...outcome, prompt: "" } : outcome;

function relinked(one: Participant, relink: Decision["relink"]): Participant {
  if (relink?.number !== one.number) return one;
  const { link, expiresAt = one.expiresAt, ring = one.ring } = relink;
  return { ...one, link, expiresAt, ...(ring === undefined ? {} : { ring }) };
}

/** A new copy, pins and removals, and what trimming takes. */
function storeCopies({ store: rows, checkpoints }: Room, decision: Decision): void {
  const { checkpoint, pin, deletedCheckpoint, trimUpTo } = decision;
  if (checkpoint !== undefined) saveVerified(checkpoints, checkpoint);
  if (pin !== undefined) checkpoints.pin(pin.number, pin.pinned);
  if (deletedCheckpoint !== undefined) checkpoints.remove(deletedCheckpoint);
  if (trimUpTo !== undefined) rows.trim(trimUpTo);
}

function pageOf(room: Room, after: number | undefined, viewer: Viewer | null): Page | null {
  if (after === undefined || viewer === null) return null;
  const from = (seq: number): Page =>
    viewer.page({ after: seq, limit: LIMITS.pageEvents, types: [] });
  if (after >= (viewer.session.trimmed?.floor ?? 0)) return from(after);
  // A repeated resume from before a trim: nothing and "more" rather than a page with a hole, because
  // reading on then says what bridges it.
  return { ...from(room.store.head()), nextAfter: after, more: true };
}

function madeHash({ made }: WriteRequest): TokenHash {
  if (made === null) throw new Error("who makes a participant brings its token's hash");
  return made;
}
