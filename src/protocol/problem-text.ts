/**
 * The text of every failure and what to do about it. The table is exhaustive: a new failure does not
 * compile until it has a text here. A text never contains anything that a client sent, except names of
 * its own fields and parameters.
 */
import type { Failure, FailureCode } from "../domain/failure";
import { redact, redactValue } from "../domain/redact";
import { omitUndefined } from "../domain/result";
import * as reasons from "./problem-reasons";

type ProblemText = reasons.ProblemText;

/** The text of a failure for every interface (HTTP, MCP, ARCP, pages), without secrets that the client sent in the wrong place. */
export function describeFailure(failure: Failure) {
  const entry = PROBLEM_TEXTS[failure.code] as ProblemText | ((failure: Failure) => ProblemText);
  const text = typeof entry === "function" ? entry(failure) : entry;
  const { title, detail, retryable = false, nextActions, extensions } = text;
  return {
    title,
    detail: redact(detail),
    retryable,
    nextActions: nextActions.map(redact),
    extensions: redactValue(extensions ?? {}) as NonNullable<ProblemText["extensions"]>,
  };
}

type FailureOf<C extends FailureCode> = Extract<Failure, { code: C }>;

const PROBLEM_TEXTS: {
  readonly [C in FailureCode]: ProblemText | ((failure: FailureOf<C>) => ProblemText);
} = {
  invalid_request: ({ detail, at }) => ({
    title: "The request is malformed",
    detail,
    nextActions: ["Correct the request and send it again."],
    ...(at === undefined ? {} : { extensions: { at } }),
  }),
  credential_missing: ({ what }) => reasons.CREDENTIAL_MISSING[what ?? "token"],
  token_invalid: ({ what }) => reasons.TOKEN_INVALID[what ?? "token"],
  scope_denied: (failure) => ({
    title:
      failure.why === "key_lacks"
        ? "The key does not have this right"
        : "The token does not have this scope",
    detail: reasons.SCOPE_DETAIL[failure.why](
      failure.needed,
      reasons.shortList(failure.names ?? []),
    ),
    nextActions: [
      failure.why === "key_lacks"
        ? "Use a key that has this right, or ask the operator to add it."
        : "Ask a participant who has this scope to act, or to hand off to you.",
    ],
    extensions: { needed: failure.needed },
  }),
  not_found: ({ what }) => ({
    title: "Not found",
    detail: `This ${what} does not exist.`,
    nextActions: ["Check the path and the ids. /docs/api lists every route."],
  }),
  method_not_allowed: ({ allow }) => ({
    title: "This method is not allowed here",
    detail: `Allowed methods: ${allow.join(", ")}.`,
    nextActions: ["Use one of the allowed methods."],
  }),
  token_superseded: {
    title: "This token was already spent",
    detail:
      "A newer token of the same participant exists. Nothing was changed. `current` shows the session as it is now.",
    nextActions: [
      "Use the newest token you hold.",
      "If the response to your last write was lost, send that write again unchanged, with its Idempotency-Key.",
      "If you have no newer token, ask a participant with the scope handoff for a new one, or open the session with the owner's key.",
    ],
  },
  version_conflict: ({ what, seen, actual }) => ({
    title: "Another write came first",
    detail: `You have seen ${what} ${seen}, and the session is now at ${actual}. Nothing was changed, and your token is not spent.`,
    nextActions: conflictActions(what, actual),
  }),
  precondition_failed: ({ given, version }) => ({
    title: "The version in If-Match is not the current one",
    detail: `If-Match names version ${given}, and the session is now at ${version}. Nothing was changed, and your token is not spent.`,
    nextActions: conflictActions("version", version),
  }),
  illegal_transition: ({ from, operation, allowed, why }) => ({
    title: "The session's state does not allow this",
    detail:
      why === undefined
        ? `${operation} is not possible in state ${from}.`
        : reasons.ILLEGAL_TRANSITION_DETAIL[why],
    nextActions: [
      allowed.length > 0
        ? `Possible now: ${allowed.join(", ")}.`
        : "The session has ended. You can still read it.",
    ],
    extensions: { from, operation, allowed },
  }),
  paused: {
    title: "The session is paused",
    detail: "A paused session is not resumed automatically.",
    retryable: true,
    nextActions: ["Wait until it is unpaused, or resume without `auto`."],
  },
  replay_gap: reasons.replayGapText,
  checkpoint_corrupt: {
    title: "The checkpoint is damaged",
    detail: "Its content does not match its size and hash. Nothing was changed.",
    nextActions: ["Use another checkpoint.", "Delete this one."],
  },
  busy: ({ what, retryAfterMs }) => ({
    title: "Another request is still running",
    detail:
      what === "once"
        ? "This effect was started under another lease, which is still held."
        : "An earlier fork of this session is not finished yet.",
    retryable: true,
    nextActions: ["Wait for the time in Retry-After, then send the same request again."],
    extensions: { retryAfterMs },
  }),
  lease_held: ({ holder, retryAfterMs }) => ({
    title: "The lease is held",
    detail: `${holder === undefined ? "Another participant" : `Participant ${holder.participant}`} holds this lease. Nothing was changed.`,
    retryable: true,
    nextActions: [
      "Wait for the time in Retry-After, then try again: the lease ends then, unless its holder renews it.",
      "To renew your own lease, send its `number`.",
    ],
    extensions: omitUndefined({ holder, retryAfterMs }),
  }),
  lease_lost: ({ why }) => ({
    title: "The lease is lost",
    detail:
      why === "other_lease"
        ? "Another lease than the one in Baton-Lease started this effect. Nothing was changed."
        : "This participant does not hold the lease that the request names. Nothing was changed.",
    nextActions: [
      "Stop the work: somebody else may be doing it.",
      "To go on, take the lease again and read what has happened since.",
    ],
  }),
  expired: reasons.expiredText,
  gone: ({ what }) => reasons.GONE[what ?? "session"],
  too_large: (failure) => ({
    title: "Too large",
    detail: reasons.sizeDetail(failure),
    nextActions: ["Send less at once."],
    extensions: omitUndefined({ limit: failure.limit, used: failure.used }),
  }),
  length_required: {
    title: "The Content-Length header is missing",
    detail: "Send the file with a Content-Length header.",
    nextActions: ["Send the file again with its length."],
  },
  unsupported_media_type: ({ wanted }) =>
    wanted === undefined
      ? {
          title: "A JSON body is needed",
          detail: "Send the body as `Content-Type: application/json`.",
          nextActions: ["Set the content type and send the request again."],
        }
      : {
          title: "A file of this type is not accepted here",
          detail: `Only ${wanted} are accepted.`,
          nextActions: [
            "Choose another file.",
            "Set the Content-Type that the upload was requested with.",
          ],
        },
  invalid_fields: ({ problems }) => ({
    title: "Some fields do not match the schema",
    detail: "Nothing was saved. `errors` names each field.",
    nextActions: ["Correct the named fields and send the request again."],
    extensions: { errors: problems },
  }),
  missing_fields: ({ problems }) => ({
    title: "Some fields are missing",
    detail: "Nothing was changed. `errors` names each field.",
    nextActions: ["Set the named fields, then submit again."],
    extensions: { errors: problems },
  }),
  idempotency_mismatch: ({ why }) => ({
    title: "This Idempotency-Key was used before",
    detail: reasons.IDEMPOTENCY_MISMATCH_DETAIL[why],
    nextActions: ["Choose a new random key for a new request."],
  }),
  external_id_taken: {
    title: "This externalId is already in use",
    detail: "The externalId belongs to another session of this owner.",
    nextActions: ["Open it with POST /sessions/open, or choose another externalId."],
  },
  quota_exceeded: reasons.quotaText,
  upgrade_required: {
    title: "This route needs a WebSocket",
    detail: "Connect with a WebSocket client and the subprotocol baton.v1.",
    nextActions: ["Open a WebSocket here, or read GET …/events instead."],
  },
  rate_limited: ({ detail, retryAfterMs }) => ({
    title: "Too many requests",
    detail,
    retryable: true,
    nextActions: ["Wait for the time in Retry-After, then try again."],
    extensions: { retryAfterMs },
  }),
  internal: {
    title: "Internal error",
    detail: "The request could not be completed. Quote the X-Request-Id header when you report it.",
    retryable: true,
    nextActions: [
      "If the request had an Idempotency-Key, send it again with the same key.",
      "If it had no key, first read the session with GET /sessions/{id}, then decide again.",
    ],
  },
  not_configured: ({ detail, setting }) => ({
    title: "This feature is not configured on this server",
    detail,
    nextActions: [`Ask the operator of this server to set ${setting}.`],
    extensions: { setting },
  }),
  overloaded: ({ why, retryAfterMs }) => ({
    ...OVERLOADED[why ?? "unreachable"],
    retryable: true,
    nextActions: [
      "Wait for the time in Retry-After, then send the same request with its Idempotency-Key.",
    ],
    extensions: { retryAfterMs },
  }),
};

const conflictActions = (what: "version" | "head", actual: number): readonly string[] => [
  "Look at `current` and `missed`.",
  what === "version"
    ? `If the write still makes sense, send it again with the same token and If-Match: "${actual}".`
    : `If the append still makes sense, send it again with expectedHead ${actual}.`,
];

const OVERLOADED = {
  unreachable: { title: "Too busy right now", detail: "The session could not be reached in time." },
  newer_data: {
    title: "This server is older than the session's data",
    detail:
      "The session's data was written by a newer release than this server runs. Nothing was changed.",
  },
  disk_full: {
    title: "The server has no space left",
    detail: "The disk of this server is full, so it cannot write. Nothing was changed.",
  },
} as const;
