/**
 * JSON as every face takes it: bounded, and without the few things JSON allows that a session could
 * not give back unchanged.
 */
import type { z } from "zod";
import { invalid, type Failure } from "../domain/failure";
import { utf8Bytes } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { ok, refuse, type Result } from "../domain/result";

export const BODY_TOO_LARGE: Failure = {
  code: "too_large",
  what: "a request body, in bytes",
  limit: LIMITS.bodyBytes,
};

/** JSON text as a message of the given shape. */
export function parseJson<T>(text: string, schema: z.ZodType<T>): Result<T, Failure> {
  if (utf8Bytes(text) > LIMITS.bodyBytes) return refuse(BODY_TOO_LARGE);
  const value = parseGuarded(text);
  return value.ok ? parseAs(schema, value.value) : value;
}

/** The value in its declared shape, or which part of it is wrong. */
export function parseAs<T>(schema: z.ZodType<T>, value: unknown): Result<T, Failure> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const at = issue?.path.map(String).join(".") ?? "";
  return refuse(invalid(issue?.message ?? "malformed", at === "" ? undefined : at));
}

export function parseGuarded(text: string): Result<unknown, Failure> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(invalid("this is not JSON"));
  }
  const problem = jsonProblem(value);
  return problem === null ? ok(value) : refuse(invalid(problem));
}

/** Walks with a stack of its own, so that no nesting can overflow the caller's. */
export function jsonProblem(root: unknown): string | null {
  const pending: [value: unknown, depth: number][] = [[root, 1]];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const [value, depth] = entry;
    if (typeof value === "string" && !value.isWellFormed()) {
      return "a text holds half of a surrogate pair";
    }
    if (typeof value === "number" && !Number.isFinite(value)) {
      return "a number is too large to keep";
    }
    if (typeof value !== "object" || value === null) continue;
    if (depth > LIMITS.jsonDepth) return `the body is nested deeper than ${LIMITS.jsonDepth}`;
    for (const [key, child] of Object.entries(value)) {
      if (key === "__proto__") return 'a key is called "__proto__"';
      if (!key.isWellFormed()) return "a key holds half of a surrogate pair";
      pending.push([child, depth + 1]);
    }
  }
  return null;
}
