/**
 * A client that knows the API only from its OpenAPI document and checks every answer against it: the
 * status, the content type, the headers, the body, and the code of a problem. It records what it saw.
 */
import { Validator, type Schema } from "@cfworker/json-schema";
import type { Answer, CallOptions, Client } from "./client.ts";

interface Content {
  readonly schema: Schema;
}
interface DescribedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, Content>>;
}
export interface DescribedOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface DescribedCall extends CallOptions {
  /** Session id or token, and the other parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Headers that clients use. No answer may carry one that the document does not name. */
const OF_INTEREST = [
  "X-Request-Id",
  "Server-Timing",
  "ETag",
  "Resume-Token",
  "Location",
  "Idempotent-Replayed",
  "Baton-Head",
  "Retry-After",
  "WWW-Authenticate",
  "RateLimit",
  "RateLimit-Policy",
];

export class DescribedApi {
  readonly operations: readonly DescribedOperation[];
  /** `<operation> <status>` of every answer so far. */
  readonly seen = new Set<string>();
  readonly #client: Client;
  readonly #components: OpenApiDocument["components"];

  constructor(client: Client, document: OpenApiDocument) {
    this.#client = client;
    this.#components = document.components;
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
    );
  }

  operation(id: string): DescribedOperation {
    const found = this.operations.find(({ operationId }) => operationId === id);
    if (found === undefined) throw new Error(`the document has no operation ${id}`);
    return found;
  }

  async call(id: string, call: DescribedCall): Promise<Answer> {
    const operation = this.operation(id);
    const path = operation.path.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => call.path?.[name] ?? "",
    );
    const answer = await this.#client.call(
      operation.method.toUpperCase(),
      path + (call.query ?? ""),
      call,
    );
    const faults = this.faultsOf(operation, answer);
    if (faults.length > 0) {
      const body = answer.text.slice(0, 1_000);
      throw new Error(`${id} answered ${answer.status}: ${faults.join("; ")}\n${body}`);
    }
    if (answer.status < 300 && call.body !== undefined) this.#checkRequest(operation, call.body);
    this.seen.add(`${id} ${answer.status}`);
    return answer;
  }

  /** The differences between the answer and the document. */
  faultsOf({ responses }: DescribedOperation, answer: Answer): readonly string[] {
    const described = responses[answer.status];
    if (described === undefined) return ["the status is not described"];
    const headers = described.headers ?? {};
    const missing = Object.keys(headers).filter(
      (name) => headers[name]?.required === true && !answer.headers.has(name),
    );
    const untold = OF_INTEREST.filter((name) => answer.headers.has(name) && !(name in headers));
    return [
      ...missing.map((name) => `the header ${name} is missing`),
      ...untold.map((name) => `the header ${name} is not described`),
      ...this.#contentFaults(described, answer),
      ...codeFaults(described, answer),
    ];
  }

  #contentFaults({ content }: DescribedResponse, { headers, text, body }: Answer): string[] {
    const type = headers.get("Content-Type")?.split(";")[0];
    if (content === undefined) return text === "" ? [] : ["there is a body, and none is described"];
    const schema = type === undefined ? undefined : (content[type] ?? content["*/*"])?.schema;
    if (type !== undefined && content["*/*"] !== undefined) return [];
    if (schema === undefined) return [`the content type ${type} is not described`];
    if (type?.endsWith("json") && body !== undefined) return this.faultsAgainst(schema, body);
    if (type === "application/x-ndjson") {
      // docs/evidence.md describes the lines of an export, and separate tests check them.
      const isLog = (schema as { description?: string }).description === "One Event a line";
      const event = isLog ? { $ref: "#/components/schemas/Event" } : { type: "object" as const };
      return text
        .trimEnd()
        .split("\n")
        .flatMap((line) => this.faultsAgainst(event, JSON.parse(line)));
    }
    return this.faultsAgainst(schema, text);
  }

  faultsAgainst(schema: Schema, value: unknown): string[] {
    const whole = { ...schema, components: this.#components } as Schema;
    const { valid, errors } = new Validator(whole, "2020-12", false).validate(value);
    return valid ? [] : errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`);
  }

  /** A request that the server accepted must also match the document. */
  #checkRequest({ operationId, requestBody }: DescribedOperation, body: unknown): void {
    // A file may contain anything.
    if (requestBody?.content["*/*"] !== undefined) return;
    const schema = requestBody?.content["application/json"]?.schema;
    const faults =
      schema === undefined ? ["no body is described"] : this.faultsAgainst(schema, body);
    if (faults.length > 0) throw new Error(`the body of ${operationId}: ${faults.join("; ")}`);
  }
}

/** The description of an error status lists the codes that come with it. */
function codeFaults({ description }: DescribedResponse, { status, body }: Answer): string[] {
  if (status < 400) return [];
  if (body.status !== status) return [`the problem says ${body.status}`];
  return description.split(", ").includes(body.code) ? [] : [`${body.code} is not described`];
}
