/**
 * One accepted write: check, decide and store in one synchronous transaction, with no await between
 * reading the version and writing it. At most three rows: commit, acting participant, and the
 * session or the participant made.
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
import { viewHandoff, type HandoffView } from "../domain/view";
import { encodeEvents } from "../domain/event-line";
import type { CommitRecord } from "../storage/session-store";
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
    participants: () => desk.store.participants(),
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
  { session, participant }: Received,
  decision: Decision,
  numbered: Pick<CommitRecord, "commit" | "text" | "at">,
): Reply<Written> {
  const { made } = decision;
  const { commit } = numbered;
  const issued: IssuedToken[] = [{ participant: participant.number, hash: request.next }];
  if (made !== undefined && request.made !== null) {
    issued.push({ participant: made.number, hash: request.made });
    desk.store.insertParticipant(
      madeParticipant(made, request.made, participant, commit, numbered.at),
    );
  }
  storeCommit(desk, { ...numbered, participant: participant.number, issued });
  if (hasChanged(session, commit.session)) desk.store.updateSession(commit.session);
  const page = pageOf(desk, decision.replayAfter, { session: commit.session, participant });
  const outcome = { ...decision.outcome, issuedSeq: commit.first };
  desk.store.updateParticipant({
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
  });
  return written(desk, commit.session, participant.number, outcome, page, null);
}

/** The same answer to the same request; the session shown is as it is now. */
function replay(desk: Desk, { session, participant }: Received, last: LastWrite): Reply<Written> {
  const after = last.outcome["after"];
  const from = typeof after === "number" ? after : undefined;
  const page = pageOf(desk, from, { session, participant });
  return written(desk, session, participant.number, last.outcome, page, last);
}

function written(
  desk: Desk,
  session: Session,
  participant: number,
  outcome: JsonObject,
  page: Page | null,
  replayed: LastWrite | null,
): Reply<Written> {
  return {
    ok: true,
    value: {
      session: present(desk, session),
      participant,
      issuedSeq: Number(outcome["issuedSeq"]),
      outcome,
      replayed: replayed !== null,
      sealed: replayed?.sealed ?? null,
      handoff: handoffOf(desk, session, outcome["participant"]),
      page,
    },
  };
}

function handoffOf(desk: Desk, session: Session, number: unknown): HandoffView | null {
  const made = typeof number === "number" ? desk.store.participant(number) : null;
  return made === null ? null : viewHandoff(made, session);
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

/** The fold keeps untouched parts by reference, so a shallow look tells whether a row must be written. */
const hasChanged = (before: Session, after: Session): boolean =>
  (Object.keys(after) as (keyof Session)[]).some((key) => before[key] !== after[key]);

const madeParticipant = (
  made: MadeParticipant,
  hash: Participant["tokenHash"],
  maker: Participant,
  commit: Commit,
  now: number,
): Participant => ({
  number: made.number,
  actor: made.actor,
  scopes: made.scopes,
  madeBy: maker.number,
  note: made.note,
  createdAt: now,
  expiresAt: made.expiresAt,
  tokenSeq: commit.first,
  tokenHash: hash,
  fenceSeq: commit.first,
  seenVersion: commit.session.version,
  cursor: commit.last,
  filled: false,
  last: null,
});
