/**
 * Live values in place of the made-up ones of a generated request. A value is replaced only where it
 * fits what the document says of it, so that nothing that was made wrong on purpose is put right; what
 * is not there is not added.
 */
import { Validator, type Schema } from "@cfworker/json-schema";
import type { Fixture } from "./fixtures.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- documents and bodies of every shape
type Json = any;

/** A random number from the document's range would hold the request for a minute. */
const SHORT_WAIT_MS = 50;
/** Any type will do for a file, but a request has to name one. */
export const BYTES = "application/octet-stream";

/** What a document says of the members of one operation's requests. */
export class OperationSchema {
  readonly #components: Json;
  readonly #operation: Json;

  constructor(document: Json, operationId: string) {
    this.#components = document.components ?? {};
    this.#operation = Object.values<Json>(document.paths)
      .flatMap((methods) => Object.values<Json>(methods))
      .find((operation) => operation.operationId === operationId);
  }

  fitsParameter(place: "header" | "query", name: string, value: unknown): boolean {
    const found = (this.#operation.parameters ?? []).find(
      (one: Json) => one.in === place && one.name === name,
    );
    return found !== undefined && this.#fits(found.schema, value);
  }

  /** In one of the ways in which the body may be written. */
  fitsMember(name: string, value: unknown): boolean {
    const schema = this.#operation.requestBody?.content["application/json"]?.schema;
    return this.#variants(schema).some(
      ({ properties }) => properties?.[name] !== undefined && this.#fits(properties[name], value),
    );
  }

  #variants(schema: Json): readonly Json[] {
    if (schema === undefined) return [];
    if (schema.$ref !== undefined) {
      return this.#variants(this.#components.schemas[schema.$ref.split("/").at(-1)]);
    }
    const ways = schema.oneOf ?? schema.anyOf;
    return ways === undefined ? [schema] : ways.flatMap((way: Json) => this.#variants(way));
  }

  #fits(schema: Json, value: unknown): boolean {
    const whole = { ...schema, components: this.#components } as Schema;
    return new Validator(whole, "2020-12").validate(value).valid;
  }
}

export function swapHeaders(headers: Headers, described: OperationSchema, scene: Fixture): void {
  const { token, version, key, ownerKey, begins } = scene;
  const swap = (name: string, value: string): void => {
    const given = headers.get(name);
    if (given !== null && described.fitsParameter("header", name, given)) headers.set(name, value);
  };
  if (key !== undefined) swap("Idempotency-Key", key);
  swap("If-Match", `"${version}"`);
  swap("Last-Event-ID", "1");
  if (/^Bearer \w+$/.test(headers.get("Authorization") ?? "")) {
    headers.set("Authorization", `Bearer ${token}`);
  }
  if (begins === true || /^\w+$/.test(headers.get("Baton-Key") ?? "")) {
    headers.set("Baton-Key", ownerKey);
  }
  if (headers.get("Content-Type") === "*/*") headers.set("Content-Type", BYTES);
}

/** Places in the log, and how long to wait. Times of `after` in the audit are left as they are. */
export function swapQuery(
  query: URLSearchParams,
  described: OperationSchema,
  { head }: Fixture,
): void {
  const most = { after: head, cursor: head, lastEventSeq: head, waitMs: SHORT_WAIT_MS };
  for (const [name, limit] of Object.entries(most)) {
    const given = query.get(name) ?? "";
    if (/^\d+$/.test(given) && described.fitsParameter("query", name, Number(given))) {
      query.set(name, String(Math.min(Number(given), limit)));
    }
  }
}

export function swapBody(
  bytes: Uint8Array,
  described: OperationSchema,
  { swaps, adds }: Fixture,
): Uint8Array | string {
  let body: Json;
  try {
    body = JSON.parse(new TextDecoder().decode(bytes) || (adds === undefined ? "" : "{}"));
  } catch {
    return bytes;
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) return bytes;
  const all = { ...swaps, waitMs: { value: Math.min(body.waitMs, SHORT_WAIT_MS) } };
  for (const [name, { value, when = () => true }] of Object.entries<Fixture["swaps"][string]>(
    all,
  )) {
    if (name in body && described.fitsMember(name, body[name]) && when(body[name])) {
      body[name] = value;
    }
  }
  return JSON.stringify({ ...body, ...adds });
}
