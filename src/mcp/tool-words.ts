/**
 * The one table of problems speaks of requests and headers. A model has tools and arguments: here the
 * same advice gets their names. The code and the facts stay as they are everywhere.
 */
import { argumentOf } from "./endpoint-input";
import type { Problem } from "../protocol/problem";

const NAMES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/If-Match: "(\d+)"/g, "if_version $1"],
  [/If-Match/g, "if_version"],
  [/Idempotency-Key/g, "idempotency_key"],
  [/expectedHead/g, "expected_head"],
  [/lastEventSeq/g, "last_event_seq"],
  [/ttlMs/g, "ttl_ms"],
  [/singleUse/g, "single_use"],
  [/finalizeParent/g, "finalize_parent"],
  [/GET \/sessions\/\{id\}/g, "get_session"],
  [/POST \/sessions\/(?:\{id\}\/)?open/g, "open_session"],
  [/POST \/sessions/g, "create_session"],
  [/Wait for the time in Retry-After/g, "Wait for `retryAfterMs` milliseconds"],
  [
    /Check the path and the ids\. \/docs\/api lists every route\./g,
    "Check the name or the id that you gave.",
  ],
  [/Set the Content-Type that was announced/g, "Give the media type that it has as type"],
  [/ Quote the X-Request-Id header when you report it\./g, ""],
  [
    /Read GET …\/checkpoints\/\S+, then continue after (\d+)\./g,
    "`current` is the session as it is now; continue with read_events after $1.",
  ],
  [/the path and the Authorization header carry/g, "session_id and resume_token hold"],
];

export const inToolWords = (text: string): string =>
  NAMES.reduce((words, [pattern, name]) => words.replaceAll(pattern, name), text);

/** An argument's name as the tool has it; what stands inside it is the caller's own. */
const argumentAt = (at: string): string => {
  const [name = "", ...rest] = inToolWords(at).split(/(?=[.[])/);
  return [argumentOf(name), ...rest].join("");
};

export const asToolProblem = (problem: Problem): Problem => ({
  ...problem,
  title: inToolWords(problem.title),
  detail: inToolWords(problem.detail),
  nextActions: problem.nextActions.map((action) =>
    inToolWords(action).replace(
      "open the session with the owner's key",
      `call open_session with ${problem.sessionId === undefined ? "its session_id" : `session_id ${problem.sessionId}`}, if this connection sends an owner's key`,
    ),
  ),
  ...(problem.at === undefined ? {} : { at: argumentAt(problem.at) }),
});
