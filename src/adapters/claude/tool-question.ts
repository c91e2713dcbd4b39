/**
 * Turns a tool call of Claude Code into a form for a person, and the person's answer into a
 * decision.
 */
import type { JsonObject } from "../../client";
import type { Inquiry } from "../inquiry";
import type { HookInput } from "./hook-protocol";

export interface Decision {
  readonly isAllowed: boolean;
  /** The comment of the person; may be empty. */
  readonly comment: string;
  readonly updatedInput?: Record<string, unknown>;
}

/** The question without the name of its session, and the function that reads the answer. */
export interface ToolQuestion {
  readonly inquiry: Omit<Inquiry, "name">;
  readonly read: (fields: JsonObject) => Decision;
}

/** A person does not read more than this; the number of cut characters is shown. */
const MAX_SHOWN_CHARACTERS = 20_000;
const OTHER = "Other";

export function questionFor(input: HookInput): ToolQuestion {
  const { tool_name: tool = "a tool", tool_input: toolInput, session_id, cwd } = input;
  const folder = cwd?.split(/[\\/]/).findLast((part) => part !== "");
  const labels = {
    tool,
    "claude-session": session_id,
    ...(folder === undefined ? {} : { folder }),
  };
  const questions = tool === "AskUserQuestion" ? questionsIn(toolInput) : null;
  const { read, ...rest } =
    questions === null
      ? permissionQuestion(tool, toolInput)
      : choiceQuestion(questions, toolInput as JsonObject);
  return { inquiry: { ...rest, labels }, read };
}

type QuestionWithoutLabels = Omit<Inquiry, "name" | "labels"> & Pick<ToolQuestion, "read">;

function permissionQuestion(tool: string, toolInput: unknown): QuestionWithoutLabels {
  const [subjectName, text] = subjectOf(toolInput);
  const subject = text === "" ? "" : `: ${text.replaceAll(/\s+/g, " ")}`;
  const call = clip(JSON.stringify(toolInput ?? {}, null, 2));
  const shown = { tool, ...(subjectName === null ? {} : { [subjectName]: clip(text) }), call };
  return {
    title: `Claude Code wants to use ${tool}${subject}`,
    question: `Claude Code wants to use the tool ${tool}. Do you allow it?`,
    schema: {
      type: "object",
      properties: {
        tool: { type: "string", title: "Tool" },
        ...(subjectName === null
          ? {}
          : { [subjectName]: { type: "string", title: titleOf(subjectName) } }),
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
      // Only this exact value allows the call.
      isAllowed: decision === "allow",
      comment: typeof comment === "string" ? comment : "",
    }),
  };
}

/** The argument that shows best what the call is about. */
function subjectOf(toolInput: unknown): readonly [string | null, string] {
  const members =
    typeof toolInput === "object" && toolInput !== null ? (toolInput as JsonObject) : {};
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

/** Null if the input does not match AskUserQuestion; then the person decides on the call itself. */
function questionsIn(toolInput: unknown): readonly Question[] | null {
  const { questions } = (toolInput ?? {}) as { questions?: unknown };
  if (!Array.isArray(questions) || questions.length === 0) return null;
  const isQuestion = (item: Partial<Question>): boolean =>
    typeof item?.question === "string" &&
    Array.isArray(item.options) &&
    item.options.length > 0 &&
    item.options.every((option) => typeof option?.label === "string");
  return questions.every(isQuestion) ? (questions as Question[]) : null;
}

function choiceQuestion(
  questions: readonly Question[],
  toolInput: JsonObject,
): QuestionWithoutLabels {
  const names = questions.map((_, index) => `answer${index + 1}`);
  const properties: Record<string, JsonObject> = {};
  for (const [index, { question, options, multiSelect = false }] of questions.entries()) {
    const oneOf = options.map(({ label, description }) => ({
      const: label,
      title: label,
      ...(description === undefined ? {} : { description }),
    }));
    const choices = [...oneOf, { const: OTHER, title: OTHER }];
    properties[`answer${index + 1}`] = multiSelect
      ? {
          type: "array",
          title: question,
          items: { oneOf: choices },
          minItems: 1,
          uniqueItems: true,
        }
      : { title: question, oneOf: choices };
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
        const texts = chosen.map((choice) => (choice === OTHER && other !== "" ? other : choice));
        return [question, texts.join(", ")] as const;
      });
      const updatedInput = { ...toolInput, answers: Object.fromEntries(answers) };
      return { isAllowed: true, comment: "", updatedInput };
    },
  };
}
