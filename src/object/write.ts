/**
 * One accepted write: check, decide and store in one synchronous transaction, with no await between
 * reading the version and writing it. Two rows: the commit, and the session with everybody in it.
 */
import { admit, type IssuedToken } from "../domain/admission";
import { numberEvents, type Commit } from "../domain/commit";
import { decide } from "../domain/decide";
import type { Context, Decision, MadeParticipant } from "../domain/decision";
import { LIMITS } from "../domain/limits";
import { utf8Bytes, type JsonObject } from "../domain/json";
import type { LastWrite, Participant } from "../domain/participant";
import type { Session } from "../domain/session";
import type { Settings } from "../domain/settings";
import { viewHandoff } from "../domain/view";
import { encodeEvents } from "../domain/event-line";
import type { CommitRecord, Loaded } from "../storage/session-store";
import { pageForReply } from "./events";
import type { Page, Reply, WriteRequest, Written } from "./messages";
import { present, receive, refusal, storeCommit, type Desk, type Received } from "./reception";

export function write(
  desk: Desk,
  request: WriteRequest,
  settings: Settings,
  now: number,
): Reply<Written> {
  return desk.store.transaction(() => writeInTransaction(desk, request, settings, now));
}

function writeInTransaction(
  desk: Desk,
  request: WriteRequest,
  settings: Settings,
  now: number,
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
    participants: received.value.participants,
  };
  const decided = decide(command, context);
  if (!decided.ok) return refusal(desk, received.value, decided.error);
  const decision = decided.value;
  const actor = decision.actor ?? participant.actor;
  const commit = numberEvents(session, context.head, decision.facts, actor, now);
  const text = encodeEvents(commit.events);
  if (utf8Bytes(text) > LIMITS.commitBytes) {
    const failure = {
      code: "too_large",
      what: "what this request would write, in bytes",
      limit: LIMITS.commitBytes,
    } as const;
    return refusal(desk, received.value, failure);
  }
  return store(desk, request, received.value, decision, { commit, text, at: now });
}

function store(
  desk: Desk,
  request: WriteRequest,
  { session, participant, participants }: Received,
  decision: Decision,
  numbered: Pick<CommitRecord, "commit" | "text" | "at">,
): Reply<Written> {
  const { commit } = numbered;
  const made = decision.made && madeParticipant(decision.made, request, participant, numbered);
  const issued: IssuedToken[] = [{ participant: participant.number, hash: request.next }];
  if (made !== undefined) issued.push({ participant: made.number, hash: made.tokenHash });
  storeCommit(desk, { ...numbered, participant: participant.number, issued });
  const page = pageOf(desk, decision.replayAfter, { session: commit.session, participant });
  const outcome = { ...decision.outcome, issuedSeq: commit.first };
  const acted: Participant = {
    ...participant,
    actor: decision.actor ?? participant.actor,
    tokenSeq: commit.first,
    tokenHash: request.next,
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
  const everybody = participants.map((one) => (one.number === acted.number ? acted : one));
  const after = {
    session: commit.session,
    participants: made === undefined ? everybody : [...everybody, made],
  };
  desk.store.update(after);
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
      session: present(desk, loaded),
      participant,
      issuedSeq: Number(outcome["issuedSeq"]),
      outcome,
      replayed: replayed !== null,
      sealed: replayed?.sealed ?? null,
      handoff: made === undefined ? null : viewHandoff(made, loaded.session),
      page,
    },
  };
}

function pageOf(
  desk: Desk,
  after: number | undefined,
  reader: Pick<Received, "session" | "participant">,
): Page | null {
  if (after === undefined) return null;
  return pageForReply(desk, { after, limit: LIMITS.pageEvents, types: [] }, reader);
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
  };
}
