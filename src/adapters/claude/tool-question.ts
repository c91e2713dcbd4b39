/** From a tool call of Claude Code to a form for a person, and from the person's answer to a decision. */
import type { JsonObject } from "../../client";
import type { Inquiry } from "../inquiry";
import type { HookInput } from "./hook-protocol";

export interface Decision {
  readonly isAllowed: boolean;
  /** What the person wrote; empty where nothing. */
  readonly comment: string;
  readonly updatedInput?: Record<string, unknown>;
}

/** What the person is asked, without the name of its session, and how the answer is read. */
export interface ToolQuestion {
  readonly inquiry: Omit<Inquiry, "name">;
  readonly read: (fields: JsonObject) => Decision;
}

/** A person reads no more than this; the rest is counted, not hidden. */
const MAX_SHOWN_CHARACTERS = 20_000;
const OTHER = "Other";

export function questionFor(input: HookInput): ToolQuestion {
  const { tool_name: tool = "a tool", tool_input: given, session_id, cwd } = input;
  const folder = cwd?.split(/[\\/]/).findLast((part) => part !== "");
  const labels = {
    tool,
    "claude-session": session_id,
    ...(folder === undefined ? {} : { folder }),
  };
  const questions = tool === "AskUserQuestion" ? questionsIn(given) : null;
  const { read, ...rest } =
    questions === null
      ? permissionQuestion(tool, given)
      : choiceQuestion(questions, given as JsonObject);
  return { inquiry: { ...rest, labels }, read };
}

type QuestionWithoutLabels = Omit<Inquiry, "name" | "labels"> & Pick<ToolQuestion, "read">;

function permissionQuestion(tool: string, given: unknown): QuestionWithoutLabels {
  const [main, text] = subjectOf(given);
  const subject = text === "" ? "" : `: ${text.replaceAll(/\s+/g, " ")}`;
  const call = clip(JSON.stringify(given ?? {}, null, 2));
  const shown = { tool, ...(main === null ? {} : { [main]: clip(text) }), call };
  return {
    title: `Claude Code wants to use ${tool}${subject}`,
    question: `Claude Code wants to use the tool ${tool}. Do you allow it?`,
    schema: {
      type: "object",
      properties: {
        tool: { type: "string", title: "Tool" },
        ...(main === null ? {} : { [main]: { type: "string", title: titleOf(main) } }),
        call: { type: "string", title: "All arguments" },
        decision: {
          title: "Decision",
          oneOf: [
            { const: "allow", title: "Allow this call" },
            { const: "deny", title: "Deny it" },
          ],
        },
        comment: {
          type: "string",
          title: "A comment for Claude",
          description: "Claude reads it if you deny the call.",
          maxLength: 4_000,
          "x-baton": { widget: "textarea" },
        },
      },
      required: ["decision"],
    },
    shown,
    ask: ["decision", "comment"],
    read: ({ decision, comment }) => ({
      // Only the exact word allows.
      isAllowed: decision === "allow",
      comment: typeof comment === "string" ? comment : "",
    }),
  };
}

/** The argument by which a person knows what the call is about. */
function subjectOf(given: unknown): readonly [string | null, string] {
  const members = typeof given === "object" && given !== null ? (given as JsonObject) : {};
  for (const name of ["command", "file_path", "url", "plan", "prompt", "pattern"]) {
    const value = members[name];
    if (typeof value === "string") return [name, value];
  }
  return [null, ""];
}

const titleOf = (name: string): string =>
  (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll("_", " ");

const clip = (text: string): string =>
  text.length <= MAX_SHOWN_CHARACTERS
    ? text
    : `${text.slice(0, MAX_SHOWN_CHARACTERS)}\n… and ${text.length - MAX_SHOWN_CHARACTERS} more characters that are not shown`;

interface Question {
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect?: boolean;
}

/** Null where they do not look as AskUserQuestion has them: then the call as such is asked about. */
function questionsIn(given: unknown): readonly Question[] | null {
  const { questions } = (given ?? {}) as { questions?: unknown };
  if (!Array.isArray(questions) || questions.length === 0) return null;
  const isQuestion = (one: Partial<Question>): boolean =>
    typeof one?.question === "string" &&
    Array.isArray(one.options) &&
    one.options.length > 0 &&
    one.options.every((option) => typeof option?.label === "string");
  return questions.every(isQuestion) ? (questions as Question[]) : null;
}

function choiceQuestion(questions: readonly Question[], given: JsonObject): QuestionWithoutLabels {
  const names = questions.map((_, index) => `answer${index + 1}`);
  const properties: Record<string, JsonObject> = {};
  for (const [index, { question, options, multiSelect = false }] of questions.entries()) {
    const oneOf = options.map(({ label, description }) => ({
      const: label,
      title: label,
      ...(description === undefined ? {} : { description }),
    }));
    const listed = [...oneOf, { const: OTHER, title: OTHER }];
    properties[`answer${index + 1}`] = multiSelect
      ? { type: "array", title: question, items: { oneOf: listed }, minItems: 1, uniqueItems: true }
      : { title: question, oneOf: listed };
    properties[`other${index + 1}`] = {
      type: "string",
      title: "Other, in your own words",
      maxLength: 4_000,
    };
  }
  const [first] = questions;
  return {
    title: `Claude Code asks: ${first?.question ?? ""}`,
    question: "Claude Code needs your answer before it continues.",
    schema: { type: "object", properties, required: names },
    shown: {},
    ask: Object.keys(properties),
    read: (fields) => {
      const answers = questions.map(({ question }, index) => {
        const chosen = [fields[`answer${index + 1}`]].flat().map(String);
        const other = String(fields[`other${index + 1}`] ?? "");
        const said = chosen.map((one) => (one === OTHER && other !== "" ? other : one));
        return [question, said.join(", ")] as const;
      });
      const updatedInput = { ...given, answers: Object.fromEntries(answers) };
      return { isAllowed: true, comment: "", updatedInput };
    },
  };
}
