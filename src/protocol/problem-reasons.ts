/** The sentence for each reason behind a failure that has several. */
import type { Failure } from "../domain/failure";

export const WHY_NOT = {
  already_approved:
    "This participant has already approved; the next approval must come from another.",
  job_ended: "The job has already ended otherwise; what was reported first stands.",
} as const;

export const QUOTA_WORDS: Readonly<Record<string, string>> = {
  openSessions: "open sessions",
  createsPerMinute: "new sessions in a minute",
};

export const MISMATCH = {
  other_request: "The same key came with another request.",
  too_old: "The session this key created is more than 24 hours old.",
  purged: "The session this key created was removed for good.",
} as const;

export function scopeDetail(failure: Extract<Failure, { code: "scope_denied" }>): string {
  switch (failure.why) {
    case "lacking":
      return `This needs the scope "${failure.needed}".`;
    case "wider_than_own":
      return `A handoff cannot be wider than oneself: "${failure.needed}" is not yours to give.`;
    case "identity_required":
      return "Reviewers of this session must be signed in with the OpenID provider of this server.";
    case "identity_invalid":
      return "The identity token of this request is not valid here: it is expired, for somebody else, or not signed by the provider.";
    case "own_work":
      return "Who created or filled a session cannot approve it, nor can those it made.";
    case "filled":
      return 'Who filled a session can make reviewers only with the scope "own".';
    case "bound_elsewhere":
      return 'A handoff is bound as its maker is; another network or principal needs the scope "own".';
    case "key_lacks":
      return `The key lacks the right "${failure.needed}".`;
    case "not_asked":
      return "This link may write only the fields it asks for, and nothing else of the session.";
    case "declined":
      return "This link was declined. Its maker can issue it anew.";
    case "not_by_key":
      return "A key does not do this. Open the session with POST /sessions/{id}/open, and act with the token.";
    case "not_yours":
      return "Only its maker or an owner can take this back.";
  }
}
