/**
 * Replaces generated values of a request by real ones. A value is replaced only if it fits its
 * schema in the document, so that deliberately invalid values stay invalid. Absent values are not
 * added.
 */
import { Validator, type Schema } from "@cfworker/json-schema";
import type { Fixture } from "./fixtures.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- documents and bodies of every shape
type Json = any;

/** A random number from the document's range would hold the request for a minute. */
const SHORT_WAIT_MS = 50;
/** A file may have any type, but the request must name one. */
export const BYTES = "application/octet-stream";

/** The document's schemas for the requests of one operation. */
export class OperationSchema {
  readonly #components: Json;
  readonly #operation: Json;

  constructor(document: Json, operationId: string) {
    this.#components = document.components ?? {};
    this.#operation = Object.values<Json>(document.paths)
      .flatMap((methods) => Object.values<Json>(methods))
      .find((operation) => operation.operationId === operationId);
  }

  fitsParameter(location: "header" | "query", name: string, value: unknown): boolean {
    const found = (this.#operation.parameters ?? []).find(
      (one: Json) => one.in === location && one.name === name,
    );
    return found !== undefined && this.#fits(found.schema, value);
  }

  /** True if the value fits one of the variants of the body. */
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
    const variants = schema.oneOf ?? schema.anyOf;
    return variants === undefined
      ? [schema]
      : variants.flatMap((variant: Json) => this.#variants(variant));
  }

  #fits(schema: Json, value: unknown): boolean {
    const whole = { ...schema, components: this.#components } as Schema;
    return new Validator(whole, "2020-12").validate(value).valid;
  }
}

export function swapHeaders(headers: Headers, schema: OperationSchema, fixture: Fixture): void {
  const { token, version, key, ownerKey, createsSession } = fixture;
  const swap = (name: string, value: string): void => {
    const generated = headers.get(name);
    if (generated !== null && schema.fitsParameter("header", name, generated))
      headers.set(name, value);
  };
  if (key !== undefined) swap("Idempotency-Key", key);
  swap("If-Match", `"${version}"`);
  swap("Last-Event-ID", "1");
  if (/^Bearer \w+$/.test(headers.get("Authorization") ?? "")) {
    headers.set("Authorization", `Bearer ${token}`);
  }
  if (createsSession === true || /^\w+$/.test(headers.get("Baton-Key") ?? "")) {
    headers.set("Baton-Key", ownerKey);
  }
  if (headers.get("Content-Type") === "*/*") headers.set("Content-Type", BYTES);
}

/** Replaces log positions and wait times. Times of `after` in the audit stay as they are. */
export function swapQuery(
  query: URLSearchParams,
  schema: OperationSchema,
  { head }: Fixture,
): void {
  const limits = { after: head, cursor: head, lastEventSeq: head, waitMs: SHORT_WAIT_MS };
  for (const [name, limit] of Object.entries(limits)) {
    const generated = query.get(name) ?? "";
    if (/^\d+$/.test(generated) && schema.fitsParameter("query", name, Number(generated))) {
      query.set(name, String(Math.min(Number(generated), limit)));
    }
  }
}

export function swapBody(
  bytes: Uint8Array,
  schema: OperationSchema,
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
    if (name in body && schema.fitsMember(name, body[name]) && when(body[name])) {
      body[name] = value;
    }
  }
  return JSON.stringify({ ...body, ...adds });
}
