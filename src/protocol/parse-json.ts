/**
 * Parses JSON for every face. It limits size and depth, and refuses the few things that JSON allows
 * and a session could not return unchanged.
 */
import type * as z from "zod";
import { invalid, type Failure } from "../domain/failure";
import { utf8Bytes } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { ok, refuse, type Result } from "../domain/result";
import { schemaErrorText, withPartName } from "./schema-error-text";

export const BODY_TOO_LARGE: Failure = {
  code: "too_large",
  what: "a request body, in bytes",
  limit: LIMITS.bodyBytes,
};

export function parseJson<T>(text: string, schema: z.ZodType<T>): Result<T, Failure> {
  if (utf8Bytes(text) > LIMITS.bodyBytes) return refuse(BODY_TOO_LARGE);
  const value = parseJsonText(text);
  return value.ok ? parseAs(schema, value.value) : value;
}

/** Returns the parsed value, or a failure that names the part that is wrong. */
export function parseAs<T>(
  schema: z.ZodType<T>,
  value: unknown,
  errorText = schemaErrorText,
): Result<T, Failure> {
  const parsed = schema.safeParse(value, { error: errorText });
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const at = issue?.path.map(String).join(".") ?? "";
  const message = withPartName(issue?.message ?? "malformed", at);
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  return refuse(invalid(message, at === "" ? unknown : at));
}

export function parseJsonText(text: string): Result<unknown, Failure> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(invalid("this is not JSON"));
  }
  // Well-formed text can contain a lone surrogate only as an escape.
  const problem = jsonProblem(value, text.includes("\\u") || !text.isWellFormed());
  return problem === null ? ok(value) : refuse(invalid(problem));
}

/** Stops at the depth limit, so that nesting cannot exhaust the stack. */
export function jsonProblem(value: unknown, mayHaveLoneSurrogate = true, depth = 1): string | null {
  if (typeof value === "string") {
    return !mayHaveLoneSurrogate || value.isWellFormed()
      ? null
      : "a text holds half of a surrogate pair";
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? null : "a number is too large to keep";
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth > LIMITS.jsonDepth) return `the body is nested deeper than ${LIMITS.jsonDepth}`;
  if (Array.isArray(value)) {
    for (const child of value) {
      const problem = jsonProblem(child, mayHaveLoneSurrogate, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  }
  for (const key in value) {
    if (key === "__proto__") return 'a key is called "__proto__"';
    if (mayHaveLoneSurrogate && !key.isWellFormed()) return "a key holds half of a surrogate pair";
    const problem = jsonProblem(
      (value as Record<string, unknown>)[key],
      mayHaveLoneSurrogate,
      depth + 1,
    );
    if (problem !== null) return problem;
  }
  return null;
}
