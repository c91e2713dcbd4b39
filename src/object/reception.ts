/** The first checks of every request in the object, and the last words of every refusal. */
import { admit, standingOf, type Credential, type Standing } from "../domain/admission";
import { isPurgeable } from "../domain/expiry";
import { eventsIn } from "../domain/event-line";
import { invalid, type Failure } from "../domain/failure";
import type { SessionId } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import type { Operation } from "../domain/operation";
import type { Participant } from "../domain/participant";
import type { Session } from "../domain/session";
import { withTrace, type Trace } from "../domain/trace";
import { viewSession, type SessionText, type SessionView } from "../domain/view";
import { readPage } from "../storage/log-page";
import { RowTooLarge } from "../storage/row-size";
import type { UploadStore } from "../storage/upload-store";
import type { CheckpointStore } from "../storage/checkpoint-store";
import type { JobStore } from "../storage/job-store";
import type { CommitRecord } from "../storage/commit-log";
import type { Loaded, SessionStore } from "../storage/session-store";
import type { Refusal, Reply } from "./messages";

/** One session's store and name, as every handler gets them. */
export interface Desk {
  readonly id: SessionId;
  readonly store: SessionStore;
  readonly checkpoints: CheckpointStore;
  readonly uploads: UploadStore;
  readonly jobs: JobStore;
  /** Participants with an open connection. */
  readonly online: () => ReadonlySet<number>;
  /** To be told to those who listen, once the transaction that stored it is over. */
  readonly announce: (record: CommitRecord) => void;
  /** Of the request whose transaction is running. */
  readonly trace: () => Trace | null;
}

/** Stores a commit and has it announced. */
export function storeCommit(desk: Desk, record: CommitRecord): void {
  const stored = traced(desk, record);
  desk.store.insertCommit(stored);
  desk.announce(stored);
}

/** The trace is written with the events: who follows the log gets it too. */
export function traced({ trace }: Desk, record: CommitRecord): CommitRecord {
  const current = trace();
  return current === null ? record : { ...record, text: withTrace(record.text, current) };
}

export interface Received extends Loaded {
  readonly participant: Participant;
  readonly standing: Standing;
}

/** Empty object, then secret and revocation. Writes nothing whatever is presented. */
export const receive = (desk: Desk, credential: Credential, now: number): Reply<Received> =>
  desk.store.enter(() => identify(desk, credential, now));

function identify({ store }: Desk, credential: Credential, now: number): Reply<Received> {
  const loaded = store.exists() ? store.load() : null;
  if (loaded === null || isPurgeable(loaded.session, now)) {
    return { ok: false, failure: { code: "gone" } };
  }
  const { session, participants, plan } = loaded;
  const participant = participants.find((one) => one.number === credential.participant) ?? null;
  const standing = standingOf(session, participant, credential, (seq) => store.issuedAt(seq));
  if (participant === null || standing === null) {
    return { ok: false, failure: { code: "token_invalid" } };
  }
  return { ok: true, value: { session, participants, plan, participant, standing } };
}

export const present = ({ id, store, online }: Desk, loaded: Loaded): SessionView =>
  viewSession(id, loaded.session, store.head(), loaded.participants, online());

/** What was last written out of a session, good while its people and its head are the same. */
interface Written {
  readonly participants: Loaded["participants"];
  readonly head: number;
  readonly json: string;
}
const writtenOut = new WeakMap<Session, Written>();

export function presentText(desk: Desk, loaded: Loaded): SessionText {
  const { session, participants } = loaded;
  const head = desk.store.head();
  return { id: desk.id, version: session.version, head, json: text() };

  function text(): string {
    const online = desk.online();
    const earlier = writtenOut.get(session);
    // Who is connected changes without a commit, so it is looked at each time.
    if (online.size === 0 && earlier?.head === head && earlier.participants === participants) {
      return earlier.json;
    }
    const json = JSON.stringify(viewSession(desk.id, session, head, participants, online));
    if (online.size === 0) writtenOut.set(session, { participants, head, json });
    return json;
  }
}

/** Runs a transaction; what a row cannot hold is refused, and then nothing of it is left. */
export function fitting<T>(transact: () => Reply<T>): Reply<T> {
  try {
    return transact();
  } catch (error) {
    if (error instanceof RowTooLarge) return { ok: false, failure: error.failure };
    throw error;
  }
}

/** Why a replay after `after` is not possible, or null. */
export function replayProblem(
  { trimmed }: Session,
  after: number,
  head: number,
  name: string,
): Failure | null {
  if (after > head) return invalid(`${name} is ${after}, but the log ends at ${head}`, name);
  return trimmed !== null && after < trimmed.floor ? { code: "replay_gap", trimmed } : null;
}

/** Stale hands are told so with the current state, and with what they missed. */
export function refusal(desk: Desk, received: Received, failure: Failure): Refusal {
  switch (failure.code) {
    case "token_superseded":
    case "illegal_transition":
    case "replay_gap":
    case "paused":
      return { ok: false, failure, current: present(desk, received) };
    case "version_conflict":
      return { ok: false, failure, ...catchUp(desk, received, failure.seen, failure.actual) };
    case "precondition_failed":
      return { ok: false, failure, ...catchUp(desk, received, failure.given, failure.version) };
    default:
      return { ok: false, failure };
  }
}

function catchUp(
  desk: Desk,
  received: Received,
  seen: number,
  actual: number,
): Pick<Required<Refusal>, "current" | "missed" | "more"> {
  const head = desk.store.head();
  // What is beyond the present was never seen, whatever the request says.
  const after = seen <= actual ? seen : received.participant.seenVersion;
  // Below the floor the log is no longer whole: reading it says so, and what bridges the gap.
  if (after < (received.session.trimmed?.floor ?? 0)) {
    return { current: present(desk, received), missed: [], more: true };
  }
  const query = { after, limit: LIMITS.missedEvents, maxLength: LIMITS.missedBytes, types: [] };
  const { texts, more } = readPage(desk.store, query, head);
  return { current: present(desk, received), missed: eventsIn(texts), more };
}

/** All the checks for what spends no token and carries no condition. */
export function admitTo(
  desk: Desk,
  credential: Credential,
  operation: Operation,
  now: number,
): Reply<Received> {
  const received = receive(desk, credential, now);
  if (!received.ok) return received;
  const { session, participant, standing } = received.value;
  const attempt = { operation, request: null, ifMatch: null };
  const admitted = admit(session, participant, standing, credential.hash, attempt, now);
  return admitted.ok ? received : refusal(desk, received.value, admitted.error);
}
