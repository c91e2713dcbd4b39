/**
 * Turns the value of an interrupt into a form for a person, and the answer into the value that the
 * graph resumes with.
 */
import type { Json, JsonObject } from "../../client";
import type { Inquiry } from "../inquiry";

type QuestionForm = Pick<Inquiry, "question" | "schema" | "shown" | "ask">;

interface InterruptQuestion {
  readonly form: QuestionForm;
  readonly read: (fields: JsonObject) => Json;
}

const WIDGET_KEYWORD = "x-baton";

export function questionOf(value: unknown): InterruptQuestion {
  const members = isObject(value) ? value : {};
  const requests = members["actionRequests"] ?? members["action_requests"];
  if (Array.isArray(requests) && requests.length > 0) return actionsQuestion(requests, members);
  if (isObject(members["schema"])) return formQuestion(members, members["schema"]);
  return textQuestion(value, members);
}

/** A text, or an object without a schema: one text field. Other members of the object are shown. */
function textQuestion(value: unknown, members: JsonObject): InterruptQuestion {
  const { question, ...rest } = members;
  const shown = isObject(value) ? rest : {};
  const text = isObject(value) ? question : value;
  return {
    form: {
      question: typeof text === "string" ? text : textOf(text ?? "Please answer."),
      schema: {
        type: "object",
        properties: {
          answer: {
            type: "string",
            title: "Your answer",
            [WIDGET_KEYWORD]: { widget: "textarea" },
          },
        },
        required: ["answer"],
      },
      shown,
      ask: ["answer"],
    },
    read: ({ answer = null }) => answer,
  };
}

/** `interrupt({question, schema, fields?})`: the graph resumes with the requested fields. */
function formQuestion(members: JsonObject, schema: JsonObject): InterruptQuestion {
  const { question, fields } = members;
  const shown = isObject(fields) ? fields : {};
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const ask = Object.keys(properties).filter((name) => !(name in shown));
  return {
    form: {
      question: typeof question === "string" ? question : "Please fill this in.",
      schema,
      shown,
      ask,
    },
    read: (filled) =>
      Object.fromEntries(
        ask.flatMap((name) => (filled[name] === undefined ? [] : [[name, filled[name]]])),
      ) as JsonObject,
  };
}

/** Questions of LangChain's human-in-the-loop middleware: a decision on each action. */
function actionsQuestion(requests: readonly unknown[], members: JsonObject): InterruptQuestion {
  const isCamel = "actionRequests" in members;
  const configs = (members["reviewConfigs"] ?? members["review_configs"] ?? []) as JsonObject[];
  const properties: Record<string, JsonObject> = {};
  const shown: Record<string, Json> = {};
  for (const [index, request] of requests.entries()) {
    const { name = "an action", args = {}, description } = request as JsonObject;
    const config = configs.find(
      (item) => item[isCamel ? "actionName" : "action_name"] === name,
    ) ?? {
      allowedDecisions: ["approve", "reject"],
    };
    const allowed = config["allowedDecisions"] ?? config["allowed_decisions"];
    const n = index + 1;
    properties[`action${n}`] = { type: "string", title: `Action ${n}: ${String(name)}` };
    shown[`action${n}`] = [
      typeof description === "string" ? `${description}\n` : "",
      JSON.stringify(args, null, 2),
    ].join("\n");
    properties[`decision${n}`] = {
      title: `Decision on ${String(name)}`,
      // A form cannot edit an action; a person who wants another one rejects it with a message.
      oneOf: ["approve", "reject"]
        .filter((decision) => !Array.isArray(allowed) || allowed.includes(decision))
        .map((decision) => ({
          const: decision,
          title: decision === "approve" ? "Approve" : "Reject",
        })),
    };
    properties[`message${n}`] = { type: "string", title: "Why, if you reject it" };
  }
  const ask = Object.keys(properties).filter((name) => !(name in shown));
  const required = ask.filter((name) => name.startsWith("decision"));
  return {
    form: {
      question: "The agent needs your decision before it continues.",
      schema: { type: "object", properties, required },
      shown,
      ask,
    },
    read: (fields) => ({
      decisions: requests.map((_, index) => {
        const message = fields[`message${index + 1}`];
        if (fields[`decision${index + 1}`] === "approve") return { type: "approve" };
        return { type: "reject", ...(typeof message === "string" ? { message } : {}) };
      }),
    }),
  };
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, null, 2);
