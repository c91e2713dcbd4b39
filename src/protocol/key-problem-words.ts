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
            "Send `Authorization: Bearer bkey_…`, or the header `Baton-Key` where a resume token is the bearer.",
          retryable: false,
          nextActions: ["Ask the operator of this server for a key."],
        };
      }
      return null;
    case "gone":
      if (failure.what !== "template") return null;
      return {
        title: "The template is retired",
        detail: "No session can be begun from it. Sessions that were begun from it go on.",
        retryable: false,
        nextActions: ["Name another template.", "Put the template again to use it."],
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
          title: "The key does not carry this right",
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
        title: "A session of this name exists",
        detail: "The externalId belongs to another session of this owner.",
        retryable: false,
        nextActions: ["Open it with POST /sessions/open, or choose another externalId."],
      };
    case "quota_exceeded":
      return {
        title: "A quota is used up",
        detail: `The owner may have ${failure.allowed} ${QUOTA_WORDS[failure.quota] ?? failure.quota}; there are ${failure.used}.`,
        retryable: false,
        nextActions: ["End sessions that are no longer needed, or ask the operator for more."],
        facts: { quota: failure.quota, used: failure.used, allowed: failure.allowed },
      };
  }
}
