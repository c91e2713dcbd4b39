/** The words of what can be wrong with an owner's key. Null where the failure is another. */
import type { Failure } from "../domain/failure";
import { QUOTA_WORDS, scopeDetail } from "./problem-reasons";
import type { Wording } from "./problem-words";

export function describeKeyFailure(failure: Failure): Wording | null {
  switch (failure.code) {
    case "credential_missing":
      if (failure.what === "key") {
        return {
          title: "A key of an owner is needed",
          detail:
            "Send `Authorization: Bearer bkey_…`. If a resume token is the bearer, send the key in the header `Baton-Key`.",
          retryable: false,
          nextActions: ["Ask the operator of this server for a key."],
        };
      }
      return null;
    case "gone":
      if (failure.what !== "template") return null;
      return {
        title: "The template is retired",
        detail: "No new session can be created from it. Existing sessions continue.",
        retryable: false,
        nextActions: ["Name another template.", "PUT the template again to put it back into use."],
      };
    case "token_invalid":
      if (failure.what === "key") {
        return {
          title: "The key is not valid",
          detail: "This key is wrong, has expired, or is no longer listed.",
          retryable: false,
          nextActions: [
            "Check that the whole key was sent.",
            "Ask the operator of this server for a key.",
          ],
        };
      }
      return null;
    case "scope_denied":
      if (failure.why === "key_lacks") {
        return {
          title: "The key does not have this right",
          detail: scopeDetail(failure),
          retryable: false,
          nextActions: ["Use a key that has this right, or ask the operator to add it."],
          facts: { needed: failure.needed },
        };
      }
      return null;
    default:
      return null;
  }
}

type OwnerFailure = Extract<Failure, { code: "external_id_taken" | "quota_exceeded" }>;

export function describeOwnerFailure(failure: OwnerFailure): Wording {
  switch (failure.code) {
    case "external_id_taken":
      return {
        title: "This externalId is already in use",
        detail: "The externalId belongs to another session of this owner.",
        retryable: false,
        nextActions: ["Open it with POST /sessions/open, or choose another externalId."],
      };
    case "quota_exceeded":
      if (failure.quota === "createsPerMinute") {
        return {
          title: "The quota for new sessions is reached",
          detail: `The owner's quota is ${failure.allowed} new sessions per minute, and ${failure.used} were created in the last minute.`,
          retryable: true,
          nextActions: ["Wait a minute, then send the same request again."],
          facts: { quota: failure.quota, used: failure.used, allowed: failure.allowed },
        };
      }
      return {
        title: "The quota is reached",
        detail: `The owner's quota is ${failure.allowed} ${QUOTA_WORDS[failure.quota] ?? failure.quota}, and ${failure.used} are in use.`,
        retryable: false,
        nextActions: ["End sessions that are no longer needed, or ask the operator for more."],
        facts: { quota: failure.quota, used: failure.used, allowed: failure.allowed },
      };
  }
}
