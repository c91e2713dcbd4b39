/** What a model is told where it asked for a session and got a new one: first why, then the way back. */
import { parseToken, TOKEN_PREFIX } from "../gateway/token";

interface Warning {
  readonly code: string;
  readonly requested: { readonly sessionId: string | null; readonly lastEventSeq: number | null };
  readonly reason: string;
}

interface Explained extends Warning {
  /** The handle is no token at all: cut off, say, or with something added. */
  readonly malformed?: true;
  readonly recover: string;
}

const TOKEN_LENGTH = TOKEN_PREFIX.length + 88;

const RECOVER =
  "To continue the old session, call resume_session again with its newest resume_token. If that is lost and this connection sends an owner's key, find the session with list_sessions and recover it with open_session. Then end this new one: call cancel_session with the resume_token of this result.";

export function explained(warning: Warning, token: string): Explained {
  const { code, requested, reason } = warning;
  if (parseToken(token) !== null) return { code, requested, reason, recover: RECOVER };
  const shape = token.startsWith(TOKEN_PREFIX)
    ? `it has ${token.length} characters instead of ${TOKEN_LENGTH}, so it was probably cut off`
    : `a token begins with ${TOKEN_PREFIX}`;
  const malformed = `The resume_token is malformed: ${shape}. ${reason}`;
  return { code, requested, reason: malformed, malformed: true, recover: RECOVER };
}

export function warningText({ code, requested, reason, recover }: Explained): string {
  const { sessionId, lastEventSeq } = requested;
  const after = lastEventSeq === null ? "" : `, after event ${lastEventSeq}`;
  const asked = sessionId === null ? `the session you asked for${after}` : `${sessionId}${after}`;
  return `WARNING (${code}): ${asked} was not resumed. ${reason} ${recover} If you expected earlier work, tell the user before you continue.`;
}
