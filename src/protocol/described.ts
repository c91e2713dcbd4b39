/** A failure in words, for every face: without any secret that the client put where none belongs. */
import type { Failure } from "../domain/failure";
import { redacted, redactedIn } from "../domain/redacted";
import { wordsOf } from "./problem-words";

export function describe(failure: Failure) {
  const { title, detail, retryable = false, nextActions, facts = {} } = wordsOf(failure);
  return {
    title,
    detail: redacted(detail),
    retryable,
    nextActions: nextActions.map(redacted),
    facts: redactedIn(facts) as typeof facts,
  };
}
