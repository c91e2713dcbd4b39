/**
 * The words of every failure and what to do about it. Exhaustive: a new failure does not compile
 * until it has its words here. They never contain anything a client sent, except names of its own
 * fields and parameters.
 */
import type { Failure } from "../domain/failure";
import { describeKeyFailure, describeOwnerFailure } from "./key-problem-words";
import { MISMATCH, scopeDetail, sizeDetail, WHY_NOT } from "./problem-reasons";

export interface Wording {
  readonly title: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly nextActions: readonly string[];
  /** Facts of the case, as members of the problem. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

const READ_AGAIN = "Read the session with GET /sessions/{id}, then decide again.";
const START_OVER = "Create a new session with POST /sessions to continue the work.";

export function wordsOf(failure: Failure): Wording {
  const ofKey = describeKeyFailure(failure);
  if (ofKey !== null) return ofKey;
  switch (failure.code) {
    case "invalid_request":
      return {
        title: "The request is malformed",
        detail: failure.detail,
        retryable: false,
        nextActions: ["Correct the request and send it again."],
        ...(failure.at === undefined ? {} : { facts: { at: failure.at } }),
      };
    case "credential_missing":
      return {
        title: "A resume token is needed",
        detail: "Send `Authorization: Bearer rtok_…`, or put the token in place of the session id.",
        retryable: false,
        nextActions: ["Send the resume token you were given for this session."],
      };
    case "token_invalid":
      return {
        title: "The token is not valid",
        detail:
          "This token is not valid for this session. It is wrong, was revoked, belongs to another session, or is bound to another network or principal.",
        retryable: false,
        nextActions: [
          "Check that the whole token was sent.",
          "Ask the sender of this token for a new one.",
        ],
      };
    case "scope_denied":
      return {
        title: "The token does not have this right",
        detail: scopeDetail(failure),
        retryable: false,
        nextActions: ["Ask a participant who has this right to act, or to hand off to you."],
        facts: { needed: failure.needed },
      };
    case "not_found":
      return {
        title: "Not found",
        detail: `This ${failure.what} does not exist.`,
        retryable: false,
        nextActions: ["Check the path and the ids. /docs/api lists every route."],
      };
    case "method_not_allowed":
      return {
        title: "This method is not allowed here",
        detail: `Allowed methods: ${failure.allow.join(", ")}.`,
        retryable: false,
        nextActions: ["Use one of the allowed methods."],
      };
    case "token_superseded":
      return {
        title: "This token was already spent",
        detail:
          "A newer token of the same participant exists. Nothing was changed. `current` shows the session as it is now.",
        retryable: false,
        nextActions: [
          "Use the newest token you hold.",
          "If the response to your last write was lost, send that write again unchanged, with its Idempotency-Key.",
          "If you have no newer token, ask a participant with the scope handoff for a new one, or open the session with the owner's key.",
        ],
      };
    case "version_conflict":
      return {
        title: "Another write came first",
        detail: `You have seen ${failure.what} ${failure.seen}, and the session is now at ${failure.actual}. Nothing was changed, and your token is not spent.`,
        retryable: false,
        nextActions: conflictActions(failure.what, failure.actual),
      };
    case "precondition_failed":
      return {
        title: "The version in If-Match is not the current one",
        detail: `If-Match names version ${failure.given}, and the session is now at ${failure.version}. Nothing was changed, and your token is not spent.`,
        retryable: false,
        nextActions: conflictActions("version", failure.version),
      };
    case "illegal_transition":
      return {
        title: "The session's state does not allow this",
        detail:
          failure.why === undefined
            ? `${failure.operation} is not possible in state ${failure.from}.`
            : WHY_NOT[failure.why],
        retryable: false,
        nextActions: [
          failure.allowed.length > 0
            ? `Possible now: ${failure.allowed.join(", ")}.`
            : "The session has ended. You can still read it.",
        ],
        facts: { from: failure.from, operation: failure.operation, allowed: failure.allowed },
      };
    case "paused":
      return {
        title: "The session is paused",
        detail: "A paused session is not resumed automatically.",
        retryable: true,
        nextActions: ["Wait until it is unpaused, or resume without `auto`."],
      };
    case "replay_gap":
      if ("changes" in failure) {
        return {
          title: "These changes are no longer available",
          detail: `Changes up to ${failure.changes} are no longer kept.`,
          retryable: false,
          nextActions: [`Read GET /sessions, then follow the changes after ${failure.changes}.`],
          facts: { floor: failure.changes },
        };
      }
      return {
        title: "These events were trimmed",
        detail: `Events up to ${failure.trimmed.floor} were removed from the log. Checkpoint ${failure.trimmed.checkpoint.id} contains the document as it was then.`,
        retryable: false,
        nextActions: [
          `Read GET …/checkpoints/${failure.trimmed.checkpoint.id}, then continue after ${failure.trimmed.checkpoint.seq}.`,
        ],
        facts: { floor: failure.trimmed.floor, checkpoint: failure.trimmed.checkpoint },
      };
    case "checkpoint_corrupt":
      return {
        title: "The checkpoint is damaged",
        detail: "Its content does not match its size and hash. Nothing was changed.",
        retryable: false,
        nextActions: ["Use another checkpoint.", "Delete this one."],
      };
    case "busy":
      return {
        title: "Another request is still running",
        detail: "An earlier fork of this session is not finished yet.",
        retryable: true,
        nextActions: ["Wait for the time in Retry-After, then send the same request again."],
        facts: { retryAfterMs: failure.retryAfterMs },
      };
    case "expired":
      if (failure.what === "ended") {
        return {
          title: "The session has ended",
          detail: "The session with this externalId has ended, and the externalId is still in use.",
          retryable: false,
          nextActions: ['Send `onEnded: "fresh"` to create a new session with this externalId.'],
          facts: { expiresAt: new Date(failure.expiresAt).toISOString() },
        };
      }
      return {
        title: failure.what === "session" ? "The session has expired" : "This access has ended",
        detail:
          failure.what === "session"
            ? "The session reached its expiry time and can no longer be read or changed."
            : "The time set for this handoff is over. The session itself may still be open.",
        retryable: false,
        nextActions: [
          failure.what === "session" ? START_OVER : "Ask the sender of this token for a new one.",
        ],
        facts: { expiresAt: new Date(failure.expiresAt).toISOString() },
      };
    case "gone":
      return {
        title: "The session is gone",
        detail: "The session was deleted permanently.",
        retryable: false,
        nextActions: [START_OVER],
      };
    case "too_large":
      return {
        title: "Too large",
        detail: sizeDetail(failure),
        retryable: false,
        nextActions: ["Send less at once."],
        facts: {
          limit: failure.limit,
          ...(failure.used === undefined ? {} : { used: failure.used }),
        },
      };
    case "length_required":
      return {
        title: "The Content-Length header is missing",
        detail: "Send the file with a Content-Length header.",
        retryable: false,
        nextActions: ["Send the file again with its length."],
      };
    case "unsupported_media_type":
      if (failure.wanted !== undefined) {
        return {
          title: "A file of this type is not accepted here",
          detail: `Only ${failure.wanted} are accepted.`,
          retryable: false,
          nextActions: ["Choose another file.", "Set the Content-Type that was announced."],
        };
      }
      return {
        title: "A JSON body is needed",
        detail: "Send the body as `Content-Type: application/json`.",
        retryable: false,
        nextActions: ["Set the content type and send the request again."],
      };
    case "invalid_fields":
      return {
        title: "Some fields do not match the schema",
        detail: "Nothing was saved. `errors` names each field.",
        retryable: false,
        nextActions: ["Correct the named fields and send the request again."],
        facts: { errors: failure.problems },
      };
    case "missing_fields":
      return {
        title: "Some fields are missing",
        detail: "Nothing was changed. `errors` names each field.",
        retryable: false,
        nextActions: ["Set the named fields, then submit again."],
        facts: { errors: failure.problems },
      };
    case "idempotency_mismatch":
      return {
        title: "This Idempotency-Key was used before",
        detail: MISMATCH[failure.why],
        retryable: false,
        nextActions: ["Choose a new random key for a new request."],
      };
    case "external_id_taken":
    case "quota_exceeded":
      return describeOwnerFailure(failure);
    case "upgrade_required":
      return {
        title: "This route needs a WebSocket",
        detail: "Connect with a WebSocket client and the subprotocol baton.v1.",
        retryable: false,
        nextActions: ["Open a WebSocket here, or read GET …/events instead."],
      };
    case "rate_limited":
      return {
        title: "Too many requests",
        detail: failure.what,
        retryable: true,
        nextActions: ["Wait for the time in Retry-After, then try again."],
        facts: { retryAfterMs: failure.retryAfterMs },
      };
    case "internal":
      return {
        title: "Internal error",
        detail:
          "The request could not be completed. Quote the X-Request-Id header when you report it.",
        retryable: true,
        nextActions: ["Send the same request again, with its Idempotency-Key.", READ_AGAIN],
      };
    case "not_configured":
      return {
        title: "This server is not configured for this",
        detail: failure.why,
        retryable: false,
        nextActions: [`Ask the operator of this server to set ${failure.setting}.`],
        facts: { setting: failure.setting },
      };
    case "overloaded":
      return {
        title:
          failure.why === "newer_data"
            ? "This server is older than the session's data"
            : "Too busy right now",
        detail:
          failure.why === "newer_data"
            ? "The session's data was written by a newer release than this server runs. Nothing was changed."
            : "The session could not be reached in time.",
        retryable: true,
        nextActions: [
          "Wait for the time in Retry-After, then send the same request with its Idempotency-Key.",
        ],
        facts: { retryAfterMs: failure.retryAfterMs },
      };
  }
}

const conflictActions = (what: "version" | "head", actual: number): readonly string[] => [
  "Look at `current` and `missed`.",
  what === "version"
    ? `If the write still makes sense, send it again with the same token and If-Match: "${actual}".`
    : `If the append still makes sense, send it again with expectedHead ${actual}.`,
];
