/** The texts of schema errors, for schemas that have no message of their own. */
import type * as z from "zod";

/** A placeholder for the name of the part that is wrong, which only the caller knows. */
const PART = "\u0000";

export const withPartName = (message: string, at: string): string =>
  message.replace(PART, at === "" ? "The body" : `"${at}"`);

const KINDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
  null: "null",
  undefined: "absent",
};

const kindOf = (value: unknown): string => {
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return KINDS[kind] ?? kind;
};

/** The unit in which the size of each kind of value is counted. */
const UNITS: Readonly<Record<string, string>> = {
  string: " characters",
  array: " entries",
  set: " entries",
  map: " entries",
};

const boundText = (origin: string, count: number | bigint, direction: "least" | "most"): string => {
  const unit = UNITS[origin];
  const size = `at ${direction} ${count.toLocaleString("en-US")}`;
  return unit === undefined ? `${PART} must be ${size}` : `${PART} must have ${size}${unit}`;
};

const quoted = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(", ");

export const schemaErrorText: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type": {
      const expected = KINDS[issue.expected] ?? issue.expected;
      return issue.input === undefined
        ? `${PART} is missing: it must be ${expected}`
        : `${PART} must be ${expected}, not ${kindOf(issue.input)}`;
    }
    case "too_small":
      return boundText(issue.origin, issue.minimum, "least");
    case "too_big":
      return boundText(issue.origin, issue.maximum, "most");
    case "unrecognized_keys":
      return `${PART} has no member ${quoted(issue.keys)}: check the spelling`;
    case "invalid_value":
      return issue.input === undefined
        ? `${PART} is missing: it must be one of ${quoted(issue.values)}`
        : `${PART} must be ${issue.values.length === 1 ? "" : "one of "}${quoted(issue.values)}`;
    case "not_multiple_of":
      return `${PART} must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return issue.format === "datetime"
        ? `${PART} must be a date and time such as 2026-01-31T12:00:00Z`
        : `${PART} does not have the form of ${issue.format === "regex" ? "this value" : `a ${issue.format}`}`;
    case "invalid_union":
      return `${PART} has a form that is not allowed here`;
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return undefined;
  }
};

/** The same for the parameters of a query. */
export const queryErrorText: z.core.$ZodErrorMap = (issue) =>
  issue.code === "unrecognized_keys"
    ? `The query has no parameter ${quoted(issue.keys)}: check the spelling`
    : schemaErrorText(issue);
