/**
 * What a connection over ARCP needs beside the common use cases: taking a session up again by token,
 * principal and the number of the last event seen, and watching a job of another session.
 */
import { expiryProblem, transitionProblem, type Credential } from "../domain/admission";
import { numberEvents } from "../domain/commit";
import type { LogEvent } from "../domain/event";
import { encodeEvents, splitEvents } from "../domain/event-line";
import { invalid, type Failure } from "../domain/failure";
import { isNumbered } from "../domain/job-rules";
import type { TokenHash } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import { tokenEvent } from "../domain/participants";
import type { ArcpBinding, Participant } from "../domain/participant";
import type { ArcpResumed, ArcpResumeRequest } from "./job-messages";
import type { Reply } from "./messages";
import { present, receive, storeCommit, type Desk } from "./reception";

/** Where the log goes on for one who has seen the events of jobs up to this number. */
export function placeAfter(
  desk: Desk,
  lastEventSeq: number,
):
  | { readonly ok: true; readonly after: number }
  | { readonly ok: false; readonly failure: Failure } {
  const head = desk.store.jobHead();
  if (lastEventSeq > head) {
    const detail = `last_event_seq is ${lastEventSeq}, but the last event is ${head}`;
    return { ok: false, failure: invalid(detail, "last_event_seq") };
  }
  if (lastEventSeq === head) return { ok: true, after: desk.store.head() };
  const commit = desk.store.commitPastJobEvent(lastEventSeq);
  const first = splitEvents(commit?.lines ?? "")
    .map((line) => JSON.parse(line) as LogEvent)
    .find(({ type }) => isNumbered(type));
  const isWhole = first !== undefined && Number(first.payload["eventSeq"]) <= lastEventSeq + 1;
  return commit !== null && isWhole
    ? { ok: true, after: commit.first - 1 }
    : { ok: false, failure: { code: "gone" } };
}

/**
 * Spends the token and fences off what came before, as any resume. The token before the newest also
 * does, until the newest is known to have arrived: a hello has no key by which a repeated one is known.
 */
export function arcpResume(
  desk: Desk,
  request: ArcpResumeRequest,
  now: number,
): Reply<ArcpResumed> {
  const { credential, principal, lastEventSeq, next } = request;
  return desk.store.transaction(() => {
    const received = receive(desk, credential, now);
    if (!received.ok) return received;
    const { session, participant, participants, standing, plan } = received.value;
    const binding = participant.arcp;
    if (binding !== undefined && binding.principal !== (principal ?? "")) {
      return { ok: false, failure: { code: "credential_missing" } };
    }
    const ended = expiryProblem(session, participant, now) ?? transitionProblem(session, "resume");
    if (ended !== null) return { ok: false, failure: ended };
    const isGood = standing === "newest" || isUnconfirmed(participant, credential);
    if (!isGood) return { ok: false, failure: { code: "token_superseded" } };
    const place = placeAfter(desk, lastEventSeq);
    if (!place.ok) return place;
    const accessed = tokenEvent("token.accessed", participant.number, credential.hash);
    const facts = [
      { ...accessed, payload: { ...accessed.payload, by: "resume", auto: false } },
      tokenEvent("token.issued", participant.number, next),
    ];
    const commit = numberEvents(session, desk.store.head(), facts, participant.actor, now);
    storeCommit(desk, {
      commit,
      text: encodeEvents(commit.events),
      at: now,
      participant: participant.number,
      issued: [{ participant: participant.number, hash: next }],
    });
    const bound: ArcpBinding = {
      closePolicy: "keep",
      ...binding,
      principal: principal ?? "",
      unconfirmed: unconfirmedAfter(participant, credential),
    };
    const acted: Participant = {
      ...participant,
      tokenSeq: commit.first,
      tokenHash: next,
      fenceSeq: commit.first,
      seenVersion: commit.session.version,
      cursor: commit.last,
      last: null,
      arcp: bound,
    };
    const after = {
      session: commit.session,
      participants: participants.map((one) => (one.number === acted.number ? acted : one)),
      plan,
    };
    desk.store.update(after);
    return {
      ok: true,
      value: {
        session: present(desk, after),
        participant: participant.number,
        issuedSeq: commit.first,
        after: place.after,
        binding: bound,
      },
    };
  });
}

const isUnconfirmed = ({ arcp }: Participant, { hash }: Credential): boolean =>
  arcp?.unconfirmed?.includes(hash) === true;

/** Who presents the newest token has got it, so those before it are done with. */
function unconfirmedAfter(participant: Participant, { hash }: Credential): readonly TokenHash[] {
  if (participant.tokenHash === hash) return [hash];
  const { unconfirmed = [] } = participant.arcp ?? {};
  return [...unconfirmed, participant.tokenHash].slice(-LIMITS.arcpUnconfirmed);
}

/** A frame came from the resumed connection, so its welcome arrived: the token before it is done with. */
export function arcpConfirm(desk: Desk, credential: Credential, now: number): void {
  desk.store.transaction(() => {
    const received = receive(desk, credential, now);
    if (!received.ok || received.value.standing !== "newest") return;
    const { participant, participants, session, plan } = received.value;
    if (participant.arcp?.unconfirmed === undefined) return;
    const { unconfirmed: _, ...arcp } = participant.arcp;
    const confirmed = { ...participant, arcp };
    const everybody = participants.map((one) =>
      one.number === confirmed.number ? confirmed : one,
    );
    desk.store.update({ session, participants: everybody, plan });
  });
}
