/**
 * A JSON body, read once and bounded: length, encoding, nesting, and the few things JSON allows that
 * a session could not give back unchanged.
 */
import type { z } from "zod";
import { invalid, type Failure } from "../domain/failure";
import { utf8Bytes } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { ok, refuse, type Result } from "../domain/result";

const TOO_LARGE: Failure = {
  code: "too_large",
  what: "a request body, in bytes",
  limit: LIMITS.bodyBytes,
};

/** The parsed body, or undefined where there is none. */
export async function readJsonBody(request: Request): Promise<Result<unknown, Failure>> {
  if (Number(request.headers.get("Content-Length") ?? 0) > LIMITS.bodyBytes) {
    return refuse(TOO_LARGE);
  }
  const bytes = await readBounded(request.body);
  if (bytes === null) return refuse(TOO_LARGE);
  if (bytes.length === 0) return ok(undefined);
  if (!isJson(request.headers.get("Content-Type"))) {
    return refuse({ code: "unsupported_media_type" });
  }
  return parse(bytes);
}

async function readBounded(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > LIMITS.bodyBytes) return null;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

const isJson = (contentType: string | null): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType?.trim() ?? "");

function parse(bytes: Uint8Array): Result<unknown, Failure> {
  try {
    return parseGuarded(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return refuse(invalid("the body is not JSON in UTF-8"));
  }
}

/** JSON text as a message of the given shape. */
export function parseJson<T>(text: string, schema: z.ZodType<T>): Result<T, Failure> {
  if (utf8Bytes(text) > LIMITS.bodyBytes) return refuse(TOO_LARGE);
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

function parseGuarded(text: string): Result<unknown, Failure> {
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
function jsonProblem(root: unknown): string | null {
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
