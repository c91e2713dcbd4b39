/** Texts for a model about a resume token that does not work: what is wrong, and how to recover. */
import type { Failure } from "../domain/failure";
import type { FreshWarning } from "../gateway/resume-or-create";
import { parseToken, TOKEN_PREFIX } from "../gateway/token";

const TOKEN_LENGTH = TOKEN_PREFIX.length + 88;

/** Null if the token is well-formed. The text never repeats the token. */
export function tokenFormatProblem(token: string): string | null {
  if (parseToken(token) !== null) return null;
  const shape =
    token.startsWith(TOKEN_PREFIX) && token.length < TOKEN_LENGTH
      ? `it has ${token.length} characters instead of ${TOKEN_LENGTH}, so it was probably cut off`
      : `a token begins with ${TOKEN_PREFIX} and has ${TOKEN_LENGTH} characters`;
  return `The resume_token is malformed: ${shape}.`;
}

export const LOST_TOKEN_ADVICE =
  "If it is lost and this connection sends an owner's key, find the session with list_sessions and recover it with open_session.";

/** The warning that a new session was created, with advice on how to recover the old one. */
interface FreshWarningWithAdvice extends FreshWarning {
  /** The token is malformed: for example cut off, or with something added. */
  readonly malformed?: true;
  readonly recover: string;
}

const RECOVER = `To continue the old session, call resume_session again with its newest resume_token. ${LOST_TOKEN_ADVICE} Then end this new one: call cancel_session with the resume_token of this result.`;
const NO_RECOVERY = "The old session cannot be recovered: its content is gone.";

/** True if the session itself has ended, not only the participant's access. */
const hasSessionEnded = (failure: Failure): boolean =>
  failure.code === "gone" || (failure.code === "expired" && failure.what === "session");

export function adviseOnFreshSession(
  warning: FreshWarning,
  failure: Failure,
  token: string,
): FreshWarningWithAdvice {
  const { code, requested, reason } = warning;
  const recover = hasSessionEnded(failure) ? NO_RECOVERY : RECOVER;
  const problem = tokenFormatProblem(token);
  if (problem === null) return { code, requested, reason, recover };
  return { code, requested, reason: `${problem} ${reason}`, malformed: true, recover };
}

export function warningText({ code, requested, reason, recover }: FreshWarningWithAdvice): string {
  const { sessionId, lastEventSeq } = requested;
  const after = lastEventSeq === null ? "" : `, after event ${lastEventSeq}`;
  const requestedSession =
    sessionId === null ? `the session you asked for${after}` : `${sessionId}${after}`;
  return `WARNING (${code}): ${requestedSession} was not resumed. ${reason} ${recover} If you expected earlier work, tell the user before you continue.`;
}
