/**
 * Decides who may do what, in the one order of checks that every request passes once the object has
 * found its session: secret, revocation and binding, the participant's expiry, replay, the
 * session's expiry, superseded, scope, lease, paused, version, transition.
 */
import { isOutsideBinding, type RequestOrigin } from "./binding";
import type { Command } from "../session/command";
import { isExpired } from "../session/expiry";
import type { Failure } from "../failure";
import { leaseProblem, type LeaseRef } from "../leases/lease";
import type { RequestHash, TokenHash } from "../ids";
import { allowedOperations, operationRow, type Operation } from "../session/operation";
import type { LastWrite, Participant } from "./participant";
import { ok, refuse, type Result } from "../result";
import { narrowingProblem } from "./narrowing";
import { rightsProblem } from "./rights";
import type { Session } from "../session/session";
import type { KeyCredential } from "../owners/open-by-key";
import type { Trace } from "../log/trace";

/** A token as the object knows it: its hash and position, never its secret. */
export interface Credential {
  readonly participant: number;
  /** First seq of the commit that issued the token. */
  readonly issuedSeq: number;
  readonly hash: TokenHash;
  /** Hash of the link's code, if the credential is a person's cookie for that link. */
  readonly link?: string;
  /** The trace of the request. It is not part of the credential itself. */
  readonly trace?: Trace;
  /** An owner's key instead of a token. */
  readonly owner?: KeyCredential;
  /** The origin of the request, for participants with a binding. */
  readonly from?: RequestOrigin;
  /** The lease that the request names. Without holding it, the participant may do nothing. */
  readonly lease?: LeaseRef;
}

export interface IssuedToken {
  readonly participant: number;
  readonly hash: TokenHash;
}

/** The newest token of its line, spent since the participant's last resume, or spent before it. */
export type TokenStatus = "newest" | "earlier" | "fenced";

export interface AdmissionRequest {
  readonly operation: Operation;
  /** The command of a write, if rights depend on it. */
  readonly command?: Command;
  /** The types of an append, one per line. */
  readonly appendedTypes?: string;
  readonly request: RequestHash | null;
  readonly ifMatch: number | null;
  /** False if the participant was created by a key that may not create sessions. */
  readonly canCreateSession?: boolean;
  /** Only for strict appends: the head that the caller expects, and the actual one. */
  readonly expectedHead?: { readonly given: number; readonly actual: number };
}

type Admission = { readonly kind: "go" } | { readonly kind: "replay"; readonly last: LastWrite };

/**
 * Null for a token that this session never issued, that was revoked, or that is used outside its
 * binding. Callers cannot tell these cases apart.
 */
export function tokenStatusOf(
  session: Session,
  participant: Participant | null,
  credential: Credential,
  issuedAt: (seq: number) => readonly IssuedToken[],
): TokenStatus | null {
  if (participant === null || session.revoked.includes(participant.number)) return null;
  const { issuedSeq, hash } = credential;
  // A person's cookie is valid only for its own link, and no other credential is valid there. A
  // link that nobody has opened has no cookie; one from before a reissue is not valid.
  const { link } = participant;
  if ((link?.code ?? null) !== (credential.link ?? null) || link?.openedAt === null) return null;
  if (isOutsideBinding(participant.bind, credential.from)) return null;
  if (participant.tokenHash === hash) return participant.tokenSeq === issuedSeq ? "newest" : null;
  const isOfTokenLine = issuedAt(issuedSeq).some(
    (issued) => issued.participant === participant.number && issued.hash === hash,
  );
  if (!isOfTokenLine) return null;
  return issuedSeq < participant.fenceSeq ? "fenced" : "earlier";
}

export function admit(
  session: Session,
  participant: Participant,
  tokenStatus: TokenStatus,
  credential: Pick<Credential, "hash" | "lease">,
  attempt: AdmissionRequest,
  now: number,
): Result<Admission> {
  const row = operationRow(attempt.operation);
  const ended = participantExpiryProblem(participant, now);
  if (ended !== null) return refuse(ended);
  const last = replayable(participant, credential.hash, attempt);
  if (last !== null && row.consumes) return ok({ kind: "replay", last });
  const failure =
    expiryProblem(session, now) ??
    supersededProblem(row.consumes, tokenStatus) ??
    rightsProblem(participant, attempt.operation, attempt.command) ??
    createRightProblem(attempt) ??
    narrowingProblem(session, participant, attempt) ??
    leaseProblem(participant, credential.lease, now) ??
    pausedProblem(session, attempt.command) ??
    versionProblem(session, participant, attempt) ??
    transitionProblem(session, attempt.operation);
  return failure === null ? ok({ kind: "go" }) : refuse(failure);
}

function replayable(
  participant: Participant,
  tokenHash: TokenHash,
  attempt: AdmissionRequest,
): LastWrite | null {
  const { last } = participant;
  if (last === null || attempt.request === null) return null;
  return last.consumed === tokenHash && last.request === attempt.request ? last : null;
}

export const expiryProblem = (session: Session, now: number): Failure | null =>
  isExpired(session, now)
    ? { code: "expired", expiresAt: session.expiresAt, what: "session" }
    : null;

/**
 * Checked before a replay: a participant without rights gets nothing back, not even an earlier
 * response.
 */
export const participantExpiryProblem = (
  { expiresAt }: Participant,
  now: number,
): Failure | null =>
  expiresAt !== null && now >= expiresAt
    ? { code: "expired", expiresAt, what: "participant" }
    : null;

/** Whether the participant may view the content now. This is the only check for showing content. */
export const canView = (
  session: Session,
  participant: Participant,
  tokenStatus: TokenStatus,
  now: number,
): boolean =>
  participantExpiryProblem(participant, now) === null &&
  expiryProblem(session, now) === null &&
  supersededProblem(false, tokenStatus) === null &&
  participant.scopes.includes("view");

function supersededProblem(consumes: boolean, tokenStatus: TokenStatus): Failure | null {
  const isStale = consumes ? tokenStatus !== "newest" : tokenStatus === "fenced";
  return isStale ? { code: "token_superseded" } : null;
}

function pausedProblem(session: Session, command: Command | undefined): Failure | null {
  const isAutomatic = command?.operation === "resume" && command.auto === true;
  const isHeld = session.paused || session.automation.suspended;
  return isAutomatic && isHeld ? { code: "paused" } : null;
}

function versionProblem(
  session: Session,
  participant: Participant,
  attempt: AdmissionRequest,
): Failure | null {
  const { version } = session;
  const { expectedHead, ifMatch } = attempt;
  if (ifMatch !== null && ifMatch !== version) {
    return { code: "precondition_failed", given: ifMatch, version };
  }
  if (expectedHead !== undefined && expectedHead.given !== expectedHead.actual) {
    const { given: seen, actual } = expectedHead;
    return { code: "version_conflict", seen, what: "head", actual };
  }
  const seen = ifMatch ?? participant.seenVersion;
  return movesVersion(attempt) && seen !== version
    ? { code: "version_conflict", seen, what: "version", actual: version }
    : null;
}

/** A participant that a key created may fork only if the key may create sessions. */
const createRightProblem = ({ operation, canCreateSession }: AdmissionRequest): Failure | null =>
  operation === "fork" && canCreateSession === false
    ? { code: "scope_denied", needed: "create", why: "key_lacks" }
    : null;

/** A fork that also finalizes its parent changes the parent's state. */
const movesVersion = ({ operation, command }: AdmissionRequest): boolean =>
  operationRow(operation).movesVersion ||
  (command?.operation === "fork" && command.finalizeParent === true);

export function transitionProblem(session: Session, operation: Operation): Failure | null {
  const from = session.state;
  return operationRow(operation).transitions[from] === undefined
    ? { code: "illegal_transition", from, operation, allowed: allowedOperations(from) }
    : null;
}
