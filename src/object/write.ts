/**
 * One accepted write: check, decide and store in one synchronous transaction, with no await between
 * reading the version and writing it. Two rows: the commit, and the session with everybody in it.
 */
import { admit, type IssuedToken } from "../domain/admission";
import { numberEvents, type Commit } from "../domain/commit";
import { decide } from "../domain/decide";
import type { Context, Decision, MadeParticipant } from "../domain/decision";
import type { NewCheckpoint } from "../domain/checkpoint";
import { LIMITS } from "../domain/limits";
import type { JsonObject } from "../domain/json";
import { addsContent } from "../domain/operation";
import { policyOf } from "../domain/policy";
import { without, type LastWrite, type Participant } from "../domain/participant";
import type { Session } from "../domain/session";
import type { Settings } from "../domain/settings";
import { viewHandoff } from "../domain/view";
import { encodeEvents } from "../domain/event-line";
import type { CommitRecord } from "../storage/commit-log";
import type { Loaded } from "../storage/session-store";
import { pageForReply } from "./events";
import type { Page, Reply, WriteRequest, Written } from "./messages";
import { endingWithJobs } from "./overdue-jobs";
import { CopyFailed, saveVerified, sha256, withoutCopy } from "./safety-copy";
import {
  fitting,
  presentText,
  receive,
  refusal,
  traced,
  type Desk,
  type Received,
} from "./reception";

export function write(
  desk: Desk,
  request: WriteRequest,
  settings: Settings,
  now: number,
): Reply<Written> {
  try {
    return transact(null);
  } catch (error) {
    if (!(error instanceof CopyFailed)) throw error;
    const { checkpoint } = error;
    const isStrict = policyOf(desk.store.load()?.session.policy ?? null).strictCheckpoints;
    if (checkpoint.meta.automatic && !isStrict) return transact(checkpoint);
    return { ok: false, failure: { code: "checkpoint_corrupt" } };
  }

  function transact(failedCopy: NewCheckpoint | null): Reply<Written> {
    return fitting(() =>
      desk.store.transaction(() => writeInTransaction(desk, request, settings, now, failedCopy)),
    );
  }
}

function writeInTransaction(
  desk: Desk,
  request: WriteRequest,
  settings: Settings,
  now: number,
  failedCopy: NewCheckpoint | null,
): Reply<Written> {
  const received = receive(desk, request.credential, now);
  if (!received.ok) return received;
  const { session, participant, standing } = received.value;
  const { command, credential } = request;
  const attempt = { ...request, operation: command.operation };
  const admitted = admit(session, participant, standing, credential.hash, attempt, now);
  if (!admitted.ok) return refusal(desk, received.value, admitted.error);
  if (admitted.value.kind === "replay") return replay(desk, received.value, admitted.value.last);

  const context: Context = {
    session,
    participant,
    head: desk.store.head(),
    now,
    settings,
    presented: credential.hash,
    next: request.next,
    made: request.made,
    ...(request.link === undefined ? {} : { link: request.link }),
    ...(request.bound === undefined ? {} : { bound: request.bound }),
    participants: received.value.participants,
    sessionId: desk.id,
    digest: sha256,
    checkpoints: () => desk.checkpoints.list(),
    checkpointBody: (number) => desk.checkpoints.body(number),
    uploads: () => desk.uploads.list(),
    trimmableUpTo: (seq) => desk.store.trimmableUpTo(seq),
    child: request.child,
    isForking: received.value.plan !== null,
  };
  const decided = decide(command, context);
  if (!decided.ok) return refusal(desk, received.value, decided.error);
  const copied = failedCopy === null ? decided.value : withoutCopy(decided.value, failedCopy);
  const { decision, jobs } = endingWithJobs(desk, copied, now);
  const actor = decision.actor ?? participant.actor;
  const commit = numberEvents(session, context.head, decision.facts, actor, now);
  const text = encodeEvents(commit.events);
  for (const job of jobs) desk.jobs.update(job);
  return store(desk, request, received.value, decision, { commit, text, at: now });
}

function store(
  desk: Desk,
  request: WriteRequest,
  { session, participant, participants, plan }: Received,
  decision: Decision,
  numbered: Pick<CommitRecord, "commit" | "text" | "at">,
): Reply<Written> {
  const { commit } = numbered;
  const made = decision.made && madeParticipant(decision.made, request, participant, numbered);
  const isHeldByCookie = participant.link !== undefined;
  const issued: IssuedToken[] = isHeldByCookie
    ? []
    : [{ participant: participant.number, hash: request.next }];
  if (made !== undefined) issued.push({ participant: made.number, hash: made.tokenHash });
  const record = traced(desk, { ...numbered, participant: participant.number, issued });
  desk.store.insertCommit(record);
  const page = pageOf(desk, decision.replayAfter, { session: commit.session, participant });
  const outcome = { ...decision.outcome, issuedSeq: commit.first };
  const acted: Participant = {
    ...participant,
    actor: decision.actor ?? participant.actor,
    // A cookie does not rotate: two tabs share it.
    tokenSeq: isHeldByCookie ? participant.tokenSeq : commit.first,
    tokenHash: isHeldByCookie ? participant.tokenHash : request.next,
    fenceSeq: page === null ? participant.fenceSeq : commit.first,
    seenVersion: seenVersion(session, participant, commit, page !== null),
    cursor: page?.nextAfter ?? participant.cursor,
    filled: participant.filled || decision.filled === true,
    last: {
      consumed: request.credential.hash,
      request: request.request,
      outcome,
      sealed: request.request === null ? null : request.sealed,
    },
  };
  const left = without(decision.forgets ?? [], participants);
  const everybody = left.map((one) => (one.number === acted.number ? acted : one));
  const after = {
    session: commit.session,
    participants: made === undefined ? everybody : [...everybody, made],
    plan: decision.plan ?? plan,
  };
  keepOnCheckpoints(desk, decision);
  if (decision.upload !== undefined) desk.uploads.save(decision.upload);
  desk.store.update(after, addsContent(request.command.operation));
  // Last: what is written after the commit can still fail and undo it, and then nobody may hear of it.
  desk.announce(record);
  return written(desk, after, participant.number, outcome, page, null);
}

/** The same answer to the same request; the session shown is as it is now. */
function replay(desk: Desk, received: Received, last: LastWrite): Reply<Written> {
  const after = last.outcome["after"];
  const page = pageOf(desk, typeof after === "number" ? after : undefined, received);
  return written(desk, received, received.participant.number, last.outcome, page, last);
}

function written(
  desk: Desk,
  loaded: Loaded,
  participant: number,
  outcome: JsonObject,
  page: Page | null,
  replayed: LastWrite | null,
): Reply<Written> {
  const made = loaded.participants.find((one) => one.number === outcome["participant"]);
  return {
    ok: true,
    value: {
      session: presentText(desk, loaded),
      participant,
      issuedSeq: Number(outcome["issuedSeq"]),
      outcome,
      replayed: replayed !== null,
      sealed: replayed?.sealed ?? null,
      handoff: made === undefined ? null : viewHandoff(made, loaded.session),
      page,
      child: null,
    },
  };
}

/** A new copy, pins and removals, and what trimming takes. */
function keepOnCheckpoints({ store: rows, checkpoints }: Desk, decision: Decision): void {
  const { checkpoint, pin, deletedCheckpoint, trimUpTo } = decision;
  if (checkpoint !== undefined) saveVerified(checkpoints, checkpoint);
  if (pin !== undefined) checkpoints.pin(pin.number, pin.pinned);
  if (deletedCheckpoint !== undefined) checkpoints.remove(deletedCheckpoint);
  if (trimUpTo !== undefined) rows.trim(trimUpTo);
}

function pageOf(
  desk: Desk,
  after: number | undefined,
  reader: Pick<Received, "session" | "participant">,
): Page | null {
  if (after === undefined) return null;
  const from = (seq: number): Page =>
    pageForReply(desk, { after: seq, limit: LIMITS.pageEvents, types: [] }, reader);
  if (after >= (reader.session.trimmed?.floor ?? 0)) return from(after);
  // A repeated resume from before a trim: nothing and "more" rather than a page with a hole, because
  // reading on then says what bridges it.
  return { ...from(desk.store.head()), nextAfter: after, more: true };
}

/** Moves with resume and with own accepted writes that move the version; with nothing else. */
function seenVersion(
  before: Session,
  participant: Participant,
  { session }: Commit,
  isResume: boolean,
): number {
  return isResume || session.version !== before.version ? session.version : participant.seenVersion;
}

function madeParticipant(
  made: MadeParticipant,
  request: WriteRequest,
  maker: Participant,
  { commit, at }: Pick<CommitRecord, "commit" | "at">,
): Participant {
  if (request.made === null) throw new Error("who makes a participant brings its token's hash");
  return {
    number: made.number,
    actor: made.actor,
    scopes: made.scopes,
    madeBy: maker.number,
    note: made.note,
    createdAt: at,
    expiresAt: made.expiresAt,
    tokenSeq: commit.first,
    tokenHash: request.made,
    fenceSeq: commit.first,
    seenVersion: commit.session.version,
    cursor: commit.last,
    filled: false,
    last: null,
    ...(made.link === undefined ? {} : { link: made.link }),
    ...(made.bind === undefined ? {} : { bind: made.bind }),
  };
}
