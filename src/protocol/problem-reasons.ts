/** The texts of failures that have several reasons, one text for each reason. */
import type { Failure } from "../domain/failure";

export interface ProblemText {
  readonly title: string;
  readonly detail: string;
  readonly nextActions: readonly string[];
  /** The same request may succeed later, unchanged. */
  readonly retryable?: true;
  /** Further members of the problem. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

const START_OVER = "Create a new session with POST /sessions to continue the work.";

const ASK_FOR_KEY = "Ask the operator of this server for a key.";

const METRICS_TOKEN = {
  title: "The token for metrics is needed",
  detail: "Send `Authorization: Bearer …` with the text of the setting METRICS_TOKEN.",
  nextActions: ["Ask the operator of this server for it."],
};

export const CREDENTIAL_MISSING = {
  key: {
    title: "A key of an owner is needed",
    detail:
      "Send `Authorization: Bearer bkey_…`. If a resume token is the bearer, send the key in the header `Baton-Key`.",
    nextActions: [ASK_FOR_KEY],
  },
  token: {
    title: "A resume token is needed",
    detail: "Send `Authorization: Bearer rtok_…`, or put the token in place of the session id.",
    nextActions: ["Send the resume token you were given for this session."],
  },
  metrics: METRICS_TOKEN,
} as const;

export const TOKEN_INVALID = {
  key: {
    title: "The key is not valid",
    detail: "This key is wrong, has expired, or is no longer listed.",
    nextActions: ["Check that the whole key was sent.", ASK_FOR_KEY],
  },
  session: {
    title: "The key does not open this session",
    detail: "The owner of this key has no session with this id.",
    nextActions: ["Check that the whole id was sent.", "Find the session with GET /sessions."],
  },
  token: {
    title: "The token is not valid",
    detail:
      "This token is not valid for this session. It is wrong, was revoked, belongs to another session, or is bound to another network or principal.",
    nextActions: [
      "Check that the whole token was sent.",
      "Ask the sender of this token for a new one.",
    ],
  },
  metrics: METRICS_TOKEN,
} as const;

export const GONE = {
  template: {
    title: "The template is retired",
    detail: "No new session can be created from it. Existing sessions continue.",
    nextActions: ["Name another template.", "PUT the template again to put it back into use."],
  },
  session: {
    title: "The session is gone",
    detail: "The session was deleted permanently.",
    nextActions: [START_OVER],
  },
} as const;

export const ILLEGAL_TRANSITION_DETAIL = {
  already_approved:
    "This participant has already approved. The next approval must come from another participant.",
  job_ended: "The job has already ended with another result, which does not change.",
} as const;

export const IDEMPOTENCY_MISMATCH_DETAIL = {
  other_request: "The same key was used for a different request.",
  too_old: "The session that this key created is more than 24 hours old.",
  purged: "The session that this key created was deleted permanently.",
} as const;

/** The name of a size ends with ", in bytes". Any other limit is a count. */
export function sizeDetail(failure: Extract<Failure, { code: "too_large" }>): string {
  const { what, limit, used } = failure;
  const [thing = what, unit = ""] = what.endsWith(BYTES)
    ? [what.slice(0, -BYTES.length), " bytes"]
    : [what];
  const start = thing.startsWith("events[") ? thing : `${thing[0]?.toUpperCase()}${thing.slice(1)}`;
  const already = used === undefined ? "" : `, and ${used}${unit} are already used`;
  return `${start} is limited to ${limit}${unit}${already}.`;
}

const BYTES = ", in bytes";

type DenialReason = Extract<Failure, { code: "scope_denied" }>["why"];

export const SCOPE_DETAIL: Readonly<
  Record<DenialReason, (needed: string, names: string) => string>
> = {
  token_lacks: (needed) => `This needs the scope "${needed}".`,
  wider_than_own: (needed) =>
    `A handoff can grant only scopes that you have. You do not have "${needed}".`,
  identity_required: () =>
    "Reviewers of this session must be signed in with the OpenID provider of this server.",
  identity_invalid: () =>
    "The identity token of this request is not valid: it has expired, is for another audience, or is not signed by the provider.",
  own_work: () =>
    'Whoever created or filled in a session cannot approve it. Without the scope "own", neither can those they brought in.',
  filled: () =>
    'A participant that filled in the session can add reviewers only with the scope "own".',
  bound_elsewhere: () =>
    'A handoff has the binding of its maker. Another network or principal needs the scope "own".',
  key_lacks: (needed) => `The key lacks the right "${needed}".`,
  not_asked: () => "This link can write only the fields that it asks for.",
  narrowed: () =>
    "This participant is narrowed by ask, show or events. It cannot export the log or use large content, jobs, checkpoints, forks, stops or anything that shows the whole session.",
  outside_ask: (_, names) =>
    `This participant can write only the fields in its "ask", which does not contain: ${names}.`,
  outside_append: (_, names) =>
    `This participant can append only events of the types in its "events.append", which does not contain: ${names}.`,
  wider_terms: (_, names) =>
    `A handoff can name only fields and types of events within your own ask, show and events. These are outside: ${names}.`,
  declined: () => "This link was declined. The sender can issue it again.",
  not_by_key: () =>
    "A key cannot do this directly. Open the session with POST /sessions/{id}/open and use the token.",
  not_yours: () =>
    'Only the maker of this handoff, or a participant with the scope "own", can do this.',
};

/** As many names as fit into one sentence. */
export const shortList = (names: readonly string[]): string =>
  names.length > LISTED_NAMES
    ? `${names.slice(0, LISTED_NAMES).join(", ")} and ${names.length - LISTED_NAMES} more`
    : names.join(", ");

const LISTED_NAMES = 10;

export function expiredText(failure: Extract<Failure, { code: "expired" }>): ProblemText {
  if (failure.what === "ended") {
    return {
      title: "The session has ended",
      detail: "The session with this externalId has ended, and the externalId is still in use.",
      nextActions: ['Send `onEnded: "fresh"` to create a new session with this externalId.'],
      extensions: { expiresAt: new Date(failure.expiresAt).toISOString() },
    };
  }
  return {
    title: failure.what === "session" ? "The session has expired" : "This access has ended",
    detail:
      failure.what === "session"
        ? "The session reached its expiry time and can no longer be read or changed."
        : "The time set for this handoff has passed. The session itself may still be open.",
    nextActions: [
      failure.what === "session" ? START_OVER : "Ask the sender of this token for a new one.",
    ],
    extensions: { expiresAt: new Date(failure.expiresAt).toISOString() },
  };
}

export function replayGapText(failure: Extract<Failure, { code: "replay_gap" }>): ProblemText {
  if ("changes" in failure) {
    return {
      title: "These changes are no longer available",
      detail: `Changes up to ${failure.changes} are no longer kept.`,
      nextActions: [`Read GET /sessions, then follow the changes after ${failure.changes}.`],
      extensions: { floor: failure.changes },
    };
  }
  return {
    title: "These events were trimmed",
    detail: `Events up to ${failure.trimmed.floor} were removed from the log. Checkpoint ${failure.trimmed.checkpoint.id} contains the document as it was then.`,
    nextActions: [
      `Read GET …/checkpoints/${failure.trimmed.checkpoint.id}, then continue after ${failure.trimmed.checkpoint.seq}.`,
    ],
    extensions: { floor: failure.trimmed.floor, checkpoint: failure.trimmed.checkpoint },
  };
}

export const quotaText = ({
  quota,
  used,
  allowed,
}: Extract<Failure, { code: "quota_exceeded" }>): ProblemText => ({
  ...(quota === "createsPerMinute"
    ? {
        title: "The quota for new sessions is reached",
        detail: `The owner's quota is ${allowed} new sessions per minute, and ${used} were created in the last minute.`,
        retryable: true,
        nextActions: ["Wait a minute, then send the same request again."],
      }
    : {
        title: "The quota is reached",
        detail: `The owner's quota is ${allowed} ${quota === "openSessions" ? "open sessions" : quota}, and ${used} are in use.`,
        nextActions: ["End sessions that are no longer needed, or ask the operator for more."],
      }),
  extensions: { quota, used, allowed },
});
