/**
 * What a connection over ARCP needs besides the common use cases: resuming a session by token,
 * principal and the number of the last event seen.
 */
import { expiryProblem, transitionProblem } from "../domain/participants/admission";
import type { Credential } from "../domain/participants/admission";
import type { LogEvent } from "../domain/log/event";
import { splitEvents, typeInLine } from "../domain/log/event-line";
import { invalid } from "../domain/failure";
import { isNumbered } from "../domain/jobs/job-rules";
import type { TokenHash } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import { additionOf } from "../domain/session/operation";
import { tokenEvent } from "../domain/participants/participant-rules";
import { withToken, type ArcpBinding, type Participant } from "../domain/participants/participant";
import type { NarrowedView } from "../domain/participants/narrowed-view";
import type { SessionView } from "../domain/session/view";
import { commitChange, saveWithoutEvent } from "./commit";
import type { SessionContext } from "./session-context";
import { identify, requireViewer, type IdentifiedCaller } from "./gate";
import type { Reply } from "./messages";

/**
 * The seq after which the log continues for a client that has seen the events of jobs up to this
 * number.
 */
export function positionAfter(context: SessionContext, lastEventSeq: number): Reply<number> {
  const head = context.store.jobHead();
  if (lastEventSeq > head) {
    const detail = `last_event_seq is ${lastEventSeq}, but the last event is ${head}`;
    return { ok: false, failure: invalid(detail, "last_event_seq") };
  }
  if (lastEventSeq === head) return { ok: true, value: context.store.head() };
  const commit = context.store.commitPastJobEvent(lastEventSeq);
  const first = splitEvents(commit?.lines ?? "").find((line) => isNumbered(typeInLine(line)));
  const isWhole = first !== undefined && eventSeqIn(first) <= lastEventSeq + 1;
  return commit !== null && isWhole
    ? { ok: true, value: commit.first - 1 }
    : { ok: false, failure: { code: "gone" } };
}

const eventSeqIn = (line: string): number =>
  Number((JSON.parse(line) as LogEvent).payload["eventSeq"]);

/** How a connection over ARCP resumes a session. */
interface ResumeRequest {
  readonly credential: Credential;
  readonly principal: string | null;
  readonly lastEventSeq: number;
  readonly next: TokenHash;
}

interface Resumed {
  readonly session: SessionView | NarrowedView;
  readonly participant: number;
  readonly issuedSeq: number;
  /** Seq after which the log holds exactly the events that the client has not seen. */
  readonly after: number;
  readonly binding: ArcpBinding;
}

/**
 * Spends the token and fences off earlier connections, as any resume does. The token before the
 * newest is also accepted until the newest is known to have arrived: a hello has no key that
 * identifies a repeated one.
 */
export function arcpResume(
  context: SessionContext,
  request: ResumeRequest,
  now: number,
): Reply<Resumed> {
  const { credential, principal, lastEventSeq, next } = request;
  const caller = identify(context, credential, now);
  if (!caller.ok) return caller;
  const { session, participant, plan } = caller.value;
  const { number, arcp: binding } = participant;
  if (binding !== undefined && binding.principal !== (principal ?? "")) {
    return { ok: false, failure: { code: "credential_missing" } };
  }
  const ended = expiryProblem(session, now) ?? transitionProblem(session, "resume");
  if (ended !== null) return { ok: false, failure: ended };
  const isAccepted =
    caller.value.tokenStatus === "newest" || isUnconfirmed(participant, credential);
  if (!isAccepted) return { ok: false, failure: { code: "token_superseded" } };
  const position = positionAfter(context, lastEventSeq);
  if (!position.ok) return position;
  const viewer = requireViewer(context, { ...caller.value, tokenStatus: "newest" }, now);
  const bound: ArcpBinding = {
    closePolicy: "keep",
    ...binding,
    principal: principal ?? "",
    unconfirmed: unconfirmedAfter(participant, credential),
  };
  const { commit, loaded } = commitChange(context, session, now, {
    by: participant,
    events: [
      tokenEvent("token.accessed", number, credential.hash, { by: "resume", auto: false }),
      tokenEvent("token.issued", number, next),
    ],
    trace: credential.trace,
    issued: [{ participant: number, hash: next }],
    row: {
      participants: (committed) =>
        withParticipant(caller.value, {
          ...withToken(participant, committed.first, next),
          fenceSeq: committed.first,
          seenVersion: committed.session.version,
          cursor: committed.last,
          last: null,
          arcp: bound,
        }),
      plan,
      adds: additionOf("resume"),
    },
  });
  const { first: issuedSeq } = commit;
  const view = (loaded === null ? viewer : viewer.after(loaded)).view();
  const value = { session: view, participant: number, issuedSeq, after: position.value };
  return { ok: true, value: { ...value, binding: bound } };
}

/** All participants, with one of them replaced. */
export const withParticipant = (
  { participants }: Pick<IdentifiedCaller, "participants">,
  changed: Participant,
): readonly Participant[] =>
  participants.map((one) => (one.number === changed.number ? changed : one));

const isUnconfirmed = ({ arcp }: Participant, { hash }: Credential): boolean =>
  arcp?.unconfirmed?.includes(hash) === true;

/** A caller with the newest token has received it, so earlier ones are no longer accepted. */
function unconfirmedAfter(participant: Participant, { hash }: Credential): readonly TokenHash[] {
  if (participant.tokenHash === hash) return [hash];
  const { unconfirmed = [] } = participant.arcp ?? {};
  return [...unconfirmed, participant.tokenHash].slice(-LIMITS.arcpUnconfirmed);
}

/**
 * A frame came from the resumed connection, so its welcome arrived: the token before it is no
 * longer accepted.
 */
export function arcpConfirm(
  context: SessionContext,
  credential: Credential,
  now: number,
): Reply<null> {
  const caller = identify(context, credential, now);
  if (!caller.ok) return caller;
  const { participant, tokenStatus, session, plan } = caller.value;
  if (tokenStatus === "newest" && participant.arcp?.unconfirmed !== undefined) {
    const { unconfirmed: _, ...arcp } = participant.arcp;
    const participants = withParticipant(caller.value, { ...participant, arcp });
    saveWithoutEvent(context, { session, participants, plan });
  }
  return { ok: true, value: null };
}
