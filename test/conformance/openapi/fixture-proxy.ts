/**
 * The proxy between specmatic and the server. Specmatic generates each request from the document
 * and knows no session. The proxy creates a session on the real server, in the state that the
 * operation needs, and replaces the generated values by real ones: session, token, ids, version,
 * seqs. It replaces only values that fit the document (swaps.ts). Values that are deliberately
 * invalid or missing stay so, and the server's answer is returned unchanged. The proxy also sends
 * the headers that name the caller and the address.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "../../support/client.ts";
import { newKey, ownersText } from "../../support/owners.ts";
import { FIXTURES, createFixture, type Fixture } from "./fixtures.ts";
import { OperationSchema, swapBody, swapHeaders, swapQuery } from "./swaps.ts";

interface Route {
  readonly operation: string;
  readonly method: string;
  readonly template: readonly string[];
}

export interface FixtureProxy {
  readonly url: string;
  /** Answers of 500 and above, by operation. There must be none. */
  readonly broken: readonly string[];
  /** The statuses of the refusals of deliberately invalid requests. */
  readonly refusals: readonly number[];
  close(): Promise<void>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
type Json = any;

const OWNER_KEY = newKey();
const PRINCIPAL_HEADER = "X-Stage-Principal";
const FROM_PROXY = { [PRINCIPAL_HEADER]: "specmatic", "CF-Connecting-IP": "127.0.0.1" };

/** The settings of the server: with an owner and with principals it has more to test. */
export const FIXTURE_SETTINGS: Readonly<Record<string, string>> = {
  OWNERS: ownersText({ stage: [OWNER_KEY] }),
  PRINCIPAL_HEADER,
};

const HOP_BY_HOP = new Set(["host", "connection", "content-length", "transfer-encoding"]);

export async function startFixtureProxy(target: string, document: Json): Promise<FixtureProxy> {
  const routes = routesOf(document);
  const client = new Client((request) => {
    request.headers.set("Baton-Key", OWNER_KEY);
    return fetch(request);
  }, target);
  const broken: string[] = [];
  const refusals: number[] = [];

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request);
    const url = new URL(request.url ?? "/", target);
    const route = routes.find((one) => matchesRoute(one, request.method ?? "", url.pathname));
    const headers = new Headers(FROM_PROXY);
    for (const [name, value] of Object.entries(request.headers)) {
      if (!HOP_BY_HOP.has(name) && typeof value === "string") headers.set(name, value);
    }
    const expectedStatus = headers.get("Specmatic-Response-Code");
    let sent: Uint8Array | string = body;
    if (route !== undefined) {
      const type = headers.get("Content-Type") ?? "";
      const fixtureRequest = { expectedStatus, bytes: body.length, type, ownerKey: OWNER_KEY };
      const fixture = await createFixture(client, route.operation, fixtureRequest);
      const schema = new OperationSchema(document, route.operation);
      url.pathname = pathOf(route, fixture);
      swapHeaders(headers, schema, fixture);
      swapQuery(url.searchParams, schema, fixture);
      sent = swapBody(body, schema, fixture);
      if (body.length === 0 && sent.length > 0) headers.set("Content-Type", "application/json");
    }
    const answer = await fetch(url, {
      method: request.method ?? "GET",
      headers,
      ...(sent.length === 0 ? {} : { body: sent as BodyInit }),
    });
    if (answer.status >= 500) broken.push(`${route?.operation} ${answer.status}`);
    else if (answer.status >= 400 && expectedStatus?.startsWith("4")) refusals.push(answer.status);
    const { "content-encoding": _, ...back } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, back);
    response.end(new Uint8Array(await answer.arrayBuffer()));
  }

  const server = createServer((request, response) => {
    forward(request, response).catch((error: unknown) => {
      // The failure is the proxy's own: specmatic must not take it for an answer of the server.
      console.error("the fixture proxy failed:", error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    broken,
    refusals,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function routesOf(document: Json): readonly Route[] {
  const routes = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, { operationId }]) => ({
      operation: operationId as string,
      method: method.toUpperCase(),
      template: path.split("/"),
    })),
  );
  const unknown = routes.filter(({ operation }) => !(operation in FIXTURES));
  if (unknown.length > 0) {
    throw new Error(`no fixture for ${unknown.map(({ operation }) => operation).join(", ")}`);
  }
  return routes;
}

function matchesRoute(
  { method, template }: Route,
  actualMethod: string,
  pathname: string,
): boolean {
  const parts = pathname.split("/");
  return (
    method === actualMethod &&
    parts.length === template.length &&
    template.every((part, index) => part.startsWith("{") || part === parts[index])
  );
}

const pathOf = ({ template }: Route, { path }: Fixture): string =>
  template
    .map((part) => (part.startsWith("{") ? (path[part.slice(1, -1)] ?? part) : part))
    .join("/");

async function bytesOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return new Uint8Array(Buffer.concat(chunks));
}
