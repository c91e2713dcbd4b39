/** A failure in words, for every face: without any secret that the client put where none belongs. */
import type { Failure } from "../domain/failure";
import { redacted, redactedIn } from "../domain/redacted";
import { wordsOf, type Wording } from "./problem-words";

export function describe(failure: Failure): Wording {
  const { title, detail, retryable, nextActions, facts } = wordsOf(failure);
  return {
    title,
    detail: redacted(detail),
    retryable,
    nextActions: nextActions.map(redacted),
    ...(facts === undefined ? {} : { facts: redactedIn(facts) as Wording["facts"] & object }),
  };
}
