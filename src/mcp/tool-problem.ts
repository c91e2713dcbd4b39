/** Refusals for a model: which argument is wrong, and which tool to call next. */
import { allowedOperations, operationRow, type Operation } from "../domain/session/operation";
import { isTerminal, type State } from "../domain/session/state";
import { toProblem, type Problem } from "../protocol/problem";
import { argumentName } from "./route-input";
import { LOST_TOKEN_ADVICE, tokenFormatProblem } from "./handle-text";
import { withoutSchema } from "./unknown-fields";
import { toToolTerms } from "./tool-terms";

type Args = Readonly<Record<string, unknown>>;

/** The tools for each operation. An operation that is not listed has none. */
const TOOLS_BY_OPERATION: Readonly<Partial<Record<Operation, readonly string[]>>> = {
  resume: ["resume_session"],
  reportStop: ["report_stop"],
  submitJob: ["submit_job"],
  cancelJob: ["cancel_job"],
  append: ["append_events"],
  setFields: ["set_fields"],
  submit: ["submit"],
  requestUpload: ["request_upload"],
  approve: ["review_session"],
  reject: ["review_session"],
  requestChanges: ["review_session"],
  finalize: ["finalize_session"],
  cancel: ["cancel_session"],
  handoff: ["handoff_to_agent", "handoff_to_human"],
  reissue: ["reissue_link"],
  revoke: ["revoke_participant"],
  extend: ["extend_session"],
  pause: ["pause_session"],
  unpause: ["unpause_session"],
  checkpoint: ["checkpoint"],
  restore: ["restore_checkpoint"],
  fork: ["fork_session"],
};

const toolsFor = (operations: readonly string[]): readonly string[] => [
  ...new Set(operations.flatMap((operation) => TOOLS_BY_OPERATION[operation as Operation] ?? [])),
];

const operationOf = (tool: string): Operation | undefined =>
  (Object.keys(TOOLS_BY_OPERATION) as Operation[]).find(
    (one) => TOOLS_BY_OPERATION[one]?.includes(tool) === true,
  );

const possibleTools = (state: State): string =>
  `Possible now: ${toolsFor(allowedOperations(state)).join(", ")}.`;

/** How to get a submitted session reviewed. */
export const REVIEW_NEXT =
  'Send it to a reviewer with handoff_to_human {"scopes":["review"]} or handoff_to_agent {"scopes":["review"]}; the reviewer decides with review_session.';

const readById = (id: unknown): string =>
  `Read it with get_session ${JSON.stringify({ session_id: id })}: the owner's key is enough.`;

/** Why a submit is refused in this state, whatever the fields are. Null if it is not. */
export const submitProblem = (state: State): string | null =>
  operationRow("submit").transitions[state] === undefined
    ? `submit is not possible in state ${state}. ${possibleTools(state)}`
    : null;

/** Why a resume would fail, and what to do then, with the texts of the resume itself. */
export function resumeRefusalText(reason: string, sessionId: string): string {
  switch (reason) {
    case "token_superseded": {
      const { nextActions } = adaptTexts(toProblem({ code: reason }, { sessionId }));
      return `It cannot be resumed with this token, which is spent. ${nextActions.join(" ")}`;
    }
    case "paused":
      return "It is paused, so auto does not resume it. Without auto it can be resumed.";
    case "illegal_transition":
      return "It has ended, and cannot be resumed. Read it with get_session.";
    default:
      return `It cannot be resumed: ${reason}.`;
  }
}

/** Every tool in the table needs a token, so a caller with only a key can use none of them. */
function adaptIllegalTransition(problem: Problem, tool: string, args: Args): Problem {
  const { allowed, operation = "", detail } = problem;
  if (!Array.isArray(allowed)) return problem;
  const from = problem.from as State;
  const tools = tool === "open_session" ? [] : toolsFor(allowed);
  return {
    ...problem,
    detail: detail.replace(`${operation} is not`, `${tool} is not`),
    operation: tool,
    allowed: [...tools],
    nextActions: nextActionsIn(from, tools, args["session_id"]),
  };
}

function nextActionsIn(from: State, tools: readonly string[], id: unknown): string[] {
  const now = `Possible now: ${tools.join(", ")}.`;
  if (from === "needs_review") return [`It waits for a review. ${REVIEW_NEXT}`, now];
  if (!isTerminal(from)) return [now];
  const endedText = `The session has ended as ${from}.`;
  return tools.length === 0
    ? [endedText, readById(id), "Only for new work: create_session."]
    : [
        `${endedText} Read it with get_session.`,
        `To continue from it in a new session: ${tools.join(", ")}.`,
      ];
}

/** The advice to repeat the write is right only if the state allows it. */
function adaptConflict(problem: Problem, tool: string): Problem {
  const operation = operationOf(tool);
  const state = problem.current?.state as State | undefined;
  if (operation === undefined || state === undefined) return problem;
  if (operationRow(operation).transitions[state] !== undefined) return problem;
  const [look = ""] = problem.nextActions;
  return {
    ...problem,
    nextActions: [
      look,
      `${tool} is not possible in state ${state} any more. ${possibleTools(state)}`,
    ],
  };
}

/** What a tool looks up: the argument, and the event types in which its values are listed. */
const LOOKUPS: Readonly<Record<string, readonly [argument: string, types?: string]>> = {
  get_job: ["job_id", "job.*"],
  cancel_job: ["job_id", "job.*"],
  submit_job: ["agent"],
  download_file: ["upload", "upload.*"],
  reissue_link: ["handoff", "handoff.*"],
  revoke_participant: ["participant", "handoff.*"],
  fork_session: ["from", "checkpoint.*"],
  restore_checkpoint: ["checkpoint", "checkpoint.*"],
  read_private: ["field", "fields.*"],
  open_session: ["external_id"],
};

function adaptNotFound(problem: Problem, tool: string): Problem {
  const [named, types] = LOOKUPS[tool] ?? [];
  const at = problem.detail.includes("template") ? "template" : named;
  const call = JSON.stringify({ after: 0, types: [types] });
  const detail =
    tool === "download_file"
      ? "There is no such file, or it is not confirmed yet."
      : problem.detail;
  const shown = types === undefined ? [] : [`read_events with ${call} shows what there is.`];
  return { ...problem, ...(at && { at }), detail, nextActions: [...problem.nextActions, ...shown] };
}

function adaptInvalidToken(problem: Problem, { resume_token }: Args): Problem {
  if (typeof resume_token !== "string" || problem.title !== TOKEN_TITLE) return problem;
  const shape = tokenFormatProblem(resume_token);
  const at = "resume_token";
  return shape === null
    ? { ...problem, at, nextActions: [...problem.nextActions, LOST_TOKEN_ADVICE] }
    : { ...problem, at, detail: shape, nextActions: ["Send the whole token.", LOST_TOKEN_ADVICE] };
}

const ERRORS_HINT = "`errors` names each field.";
/** As many as fit in one line. `errors` contains all of them. */
const MAX_NAMED_FIELDS = 10;

function fieldsText({ errors = [] }: Problem): string {
  const named = errors
    .slice(0, MAX_NAMED_FIELDS)
    .map(({ field, message }) => `${field} ${message}`);
  const more = errors.length - named.length;
  return `${named.join("; ")}${more > 0 ? `; and ${more} more in \`errors\`` : ""}.`;
}

const TOKEN_TITLE = toProblem({ code: "token_invalid" }).title;

function adaptToTool(problem: Problem, tool: string, args: Args): Problem {
  switch (problem.code) {
    case "illegal_transition":
      return adaptIllegalTransition(problem, tool, args);
    case "version_conflict":
    case "precondition_failed":
      return adaptConflict(problem, tool);
    case "not_found":
      return adaptNotFound(problem, tool);
    case "token_invalid":
      return adaptInvalidToken(problem, args);
    case "invalid_fields":
    case "missing_fields":
      return { ...problem, detail: problem.detail.replace(ERRORS_HINT, fieldsText(problem)) };
    case "expired":
      // An ended session that was opened by its externalId can still be read.
      return tool === "open_session" && problem.sessionId !== undefined
        ? { ...problem, nextActions: [readById(problem.sessionId), ...problem.nextActions] }
        : problem;
    default:
      return problem;
  }
}

export const toToolProblem = (problem: Problem, tool: string, args: Args = {}): Problem =>
  adaptTexts(adaptToTool(problem, tool, args));

/** Renames the argument as in the tool. The path inside it is the caller's own. */
const toArgumentPath = (at: string): string => {
  const [name = "", ...rest] = toToolTerms(at).split(/(?=[.[])/);
  return [argumentName(name), ...rest].join("");
};

const adaptTexts = (problem: Problem): Problem => ({
  ...problem,
  title: toToolTerms(problem.title),
  detail: toToolTerms(problem.detail),
  nextActions: problem.nextActions.map((action) =>
    toToolTerms(action).replace(
      "open the session with the owner's key",
      `call open_session with ${problem.sessionId === undefined ? "its session_id" : `session_id ${problem.sessionId}`}, if this connection sends an owner's key`,
    ),
  ),
  ...(problem.current === undefined ? {} : { current: withoutSchema(problem.current) }),
  ...(problem.at === undefined ? {} : { at: toArgumentPath(problem.at) }),
});
