/**
 * The words of every failure and what to do about it. Exhaustive: a new failure does not compile
 * until it has its words here. They never contain anything a client sent, except names of its own
 * fields and parameters. Long because it is one list, with a case for every failure.
 */
import type { Failure } from "../domain/failure";
import { redacted, redactedIn } from "../domain/redacted";
import {
  expiredWords,
  gapWords,
  MISMATCH,
  quotaWords,
  scopeDetail,
  sizeDetail,
  START_OVER,
  WHY_NOT,
  type Words,
} from "./problem-reasons";

const ASK_FOR_KEY = "Ask the operator of this server for a key.";

/** A failure in words, for every face: without any secret that the client put where none belongs. */
export function describe(failure: Failure) {
  const { title, detail, retryable = false, nextActions, facts } = wordsOf(failure);
  return {
    title,
    detail: redacted(detail),
    retryable,
    nextActions: nextActions.map(redacted),
    facts: redactedIn(facts ?? {}) as NonNullable<Words["facts"]>,
  };
}

function wordsOf(failure: Failure): Words {
  switch (failure.code) {
    case "invalid_request":
      return {
        title: "The request is malformed",
        detail: failure.detail,
        nextActions: ["Correct the request and send it again."],
        ...(failure.at === undefined ? {} : { facts: { at: failure.at } }),
      };
    case "credential_missing":
      if (failure.what === "key") {
        return {
          title: "A key of an owner is needed",
          detail:
            "Send `Authorization: Bearer bkey_…`. If a resume token is the bearer, send the key in the header `Baton-Key`.",
          nextActions: [ASK_FOR_KEY],
        };
      }
      return {
        title: "A resume token is needed",
        detail: "Send `Authorization: Bearer rtok_…`, or put the token in place of the session id.",
        nextActions: ["Send the resume token you were given for this session."],
      };
    case "token_invalid":
      if (failure.what === "key") {
        return {
          title: "The key is not valid",
          detail: "This key is wrong, has expired, or is no longer listed.",
          nextActions: ["Check that the whole key was sent.", ASK_FOR_KEY],
        };
      }
      if (failure.what === "session") {
        return {
          title: "The key does not open this session",
          detail: "The owner of this key has no session with this id.",
          nextActions: [
            "Check that the whole id was sent.",
            "Find the session with GET /sessions.",
          ],
        };
      }
      return {
        title: "The token is not valid",
        detail:
          "This token is not valid for this session. It is wrong, was revoked, belongs to another session, or is bound to another network or principal.",
        nextActions: [
          "Check that the whole token was sent.",
          "Ask the sender of this token for a new one.",
        ],
      };
    case "scope_denied":
      return {
        title: `The ${failure.why === "key_lacks" ? "key" : "token"} does not have this right`,
        detail: scopeDetail(failure),
        nextActions: [
          failure.why === "key_lacks"
            ? "Use a key that has this right, or ask the operator to add it."
            : "Ask a participant who has this right to act, or to hand off to you.",
        ],
        facts: { needed: failure.needed },
      };
    case "not_found":
      return {
        title: "Not found",
        detail: `This ${failure.what} does not exist.`,
        nextActions: ["Check the path and the ids. /docs/api lists every route."],
      };
    case "method_not_allowed":
      return {
        title: "This method is not allowed here",
        detail: `Allowed methods: ${failure.allow.join(", ")}.`,
        nextActions: ["Use one of the allowed methods."],
      };
    case "token_superseded":
      return {
        title: "This token was already spent",
        detail:
          "A newer token of the same participant exists. Nothing was changed. `current` shows the session as it is now.",
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
        nextActions: conflictActions(failure.what, failure.actual),
      };
    case "precondition_failed":
      return {
        title: "The version in If-Match is not the current one",
        detail: `If-Match names version ${failure.given}, and the session is now at ${failure.version}. Nothing was changed, and your token is not spent.`,
        nextActions: conflictActions("version", failure.version),
      };
    case "illegal_transition":
      return {
        title: "The session's state does not allow this",
        detail:
          failure.why === undefined
            ? `${failure.operation} is not possible in state ${failure.from}.`
            : WHY_NOT[failure.why],
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
      return gapWords(failure);
    case "checkpoint_corrupt":
      return {
        title: "The checkpoint is damaged",
        detail: "Its content does not match its size and hash. Nothing was changed.",
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
      return expiredWords(failure);
    case "gone":
      if (failure.what === "template") {
        return {
          title: "The template is retired",
          detail: "No new session can be created from it. Existing sessions continue.",
          nextActions: [
            "Name another template.",
            "PUT the template again to put it back into use.",
          ],
        };
      }
      return {
        title: "The session is gone",
        detail: "The session was deleted permanently.",
        nextActions: [START_OVER],
      };
    case "too_large":
      return {
        title: "Too large",
        detail: sizeDetail(failure),
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
        nextActions: ["Send the file again with its length."],
      };
    case "unsupported_media_type":
      if (failure.wanted !== undefined) {
        return {
          title: "A file of this type is not accepted here",
          detail: `Only ${failure.wanted} are accepted.`,
          nextActions: ["Choose another file.", "Set the Content-Type that was announced."],
        };
      }
      return {
        title: "A JSON body is needed",
        detail: "Send the body as `Content-Type: application/json`.",
        nextActions: ["Set the content type and send the request again."],
      };
    case "invalid_fields":
      return {
        title: "Some fields do not match the schema",
        detail: "Nothing was saved. `errors` names each field.",
        nextActions: ["Correct the named fields and send the request again."],
        facts: { errors: failure.problems },
      };
    case "missing_fields":
      return {
        title: "Some fields are missing",
        detail: "Nothing was changed. `errors` names each field.",
        nextActions: ["Set the named fields, then submit again."],
        facts: { errors: failure.problems },
      };
    case "idempotency_mismatch":
      return {
        title: "This Idempotency-Key was used before",
        detail: MISMATCH[failure.why],
        nextActions: ["Choose a new random key for a new request."],
      };
    case "external_id_taken":
      return {
        title: "This externalId is already in use",
        detail: "The externalId belongs to another session of this owner.",
        nextActions: ["Open it with POST /sessions/open, or choose another externalId."],
      };
    case "quota_exceeded":
      return quotaWords(failure);
    case "upgrade_required":
      return {
        title: "This route needs a WebSocket",
        detail: "Connect with a WebSocket client and the subprotocol baton.v1.",
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
        nextActions: [
          "If the request had an Idempotency-Key, send it again with the same key.",
          "If it had no key, first read the session with GET /sessions/{id}, then decide again.",
        ],
      };
    case "not_configured":
      return {
        title: "This server is not configured for this",
        detail: failure.why,
        nextActions: [`Ask the operator of this server to set ${failure.setting}.`],
        facts: { setting: failure.setting },
      };
    case "overloaded":
      return {
        ...OVERLOADED[failure.why ?? "busy"],
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

const OVERLOADED = {
  busy: { title: "Too busy right now", detail: "The session could not be reached in time." },
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
