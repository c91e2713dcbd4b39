/**
 * The one table of problems speaks of requests and headers. A model has tools and arguments: here the
 * same advice gets their names. The code and the facts stay as they are everywhere.
 */
import { allowedOperations, rowOf, type Operation } from "../domain/session/operation";
import type { State } from "../domain/session/state";
import { argumentOf } from "./endpoint-input";
import { withoutSchema } from "./schema-names";
import type { Problem } from "../protocol/problem";

const NAMES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/If-Match: "(\d+)"/g, "if_version $1"],
  [/If-Match/g, "if_version"],
  [/Idempotency-Key/g, "idempotency_key"],
  [/expectedHead/g, "expected_head"],
  [/lastEventSeq/g, "last_event_seq"],
  [/externalId/g, "external_id"],
  [/onEnded/g, "on_ended"],
  [/ttlMs/g, "ttl_ms"],
  [/singleUse/g, "single_use"],
  [/finalizeParent/g, "finalize_parent"],
  [/GET \/sessions\/\{id\}/g, "get_session"],
  [/GET \/sessions/g, "list_sessions"],
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
  [
    /Send `Authorization: Bearer bkey_….*`Baton-Key`\./g,
    "This connection sends no key of an owner, and no argument takes one: the user adds it to the headers in this client's configuration.",
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

/** The tools that do what a state can allow. What is not here has none. */
const TOOLS_OF: Readonly<Partial<Record<Operation, readonly string[]>>> = {
  resume: ["resume_session"],
  reportStop: ["report_stop"],
  submitJob: ["submit_job"],
  cancelJob: ["cancel_job"],
  append: ["append_events"],
  setFields: ["set_fields"],
  submit: ["submit"],
  requestUpload: ["request_upload"],
  finalize: ["finalize_session"],
  cancel: ["cancel_session"],
  handoff: ["handoff_to_agent", "handoff_to_human"],
  reissue: ["reissue_link"],
  revoke: ["revoke_participant"],
  extend: ["extend_session"],
  pause: ["pause_session"],
  unpause: ["unpause_session"],
  checkpoint: ["checkpoint"],
  fork: ["fork_session"],
};

const toolsFor = (operations: readonly string[]): readonly string[] =>
  operations.flatMap((operation) => TOOLS_OF[operation as Operation] ?? []);

const possible = (tools: readonly string[]): string => `Possible now: ${tools.join(", ")}.`;

/** Why a submit is refused in this state, whatever the fields are; null: it is not. */
export const submitProblem = (state: State): string | null =>
  rowOf("submit").transitions[state] === undefined
    ? `submit is not possible in state ${state}. ${possible(toolsFor(allowedOperations(state)))}`
    : null;

/** Every tool in the table takes a token: to one who has only a key, none is possible. */
function inTools(problem: Problem, tool: string): Problem {
  const { code, allowed, operation = "", detail } = problem;
  if (code !== "illegal_transition" || !Array.isArray(allowed)) return problem;
  const tools = tool === "open_session" ? [] : toolsFor(allowed);
  const next = tools.length > 0 ? possible(tools) : "The session has ended. Begin another one.";
  return {
    ...problem,
    detail: detail.replace(`${operation} is not`, `${tool} is not`),
    operation: tool,
    allowed: [...tools],
    nextActions: [next],
  };
}

export const asToolProblem = (given: Problem, tool: string): Problem =>
  inWords(inTools(given, tool));

const inWords = (problem: Problem): Problem => ({
  ...problem,
  title: inToolWords(problem.title),
  detail: inToolWords(problem.detail),
  nextActions: problem.nextActions.map((action) =>
    inToolWords(action).replace(
      "open the session with the owner's key",
      `call open_session with ${problem.sessionId === undefined ? "its session_id" : `session_id ${problem.sessionId}`}, if this connection sends an owner's key`,
    ),
  ),
  ...(problem.current === undefined ? {} : { current: withoutSchema(problem.current) }),
  ...(problem.at === undefined ? {} : { at: argumentAt(problem.at) }),
});
