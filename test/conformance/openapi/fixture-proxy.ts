/**
 * What stands between specmatic and the server. Specmatic makes each request up from the document and
 * knows no session; the stage begins one for it on the real server, in the state that the operation
 * needs, and puts its live names in place of the made-up ones: session, token, ids, version, seqs.
 * Only what fits the document is replaced (swaps.ts): whatever specmatic made wrong on purpose, or left
 * out, goes through as it is, and the server's answer comes back unchanged. The stage also stands for
 * the proxy that says who asks and from where.
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
  /** Answers of 500 and above, by operation: there may be none. */
  readonly broken: readonly string[];
  /** The statuses with which requests were refused that were made wrong. */
  readonly refusals: readonly number[];
  close(): Promise<void>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
type Json = any;

const OWNER_KEY = newKey();
const PRINCIPAL_HEADER = "X-Stage-Principal";
const FROM_PROXY = { [PRINCIPAL_HEADER]: "specmatic", "CF-Connecting-IP": "127.0.0.1" };

/** What the server is started with: one that lists an owner and knows principals can be asked for more. */
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

  async function play(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request);
    const url = new URL(request.url ?? "/", target);
    const route = routes.find((one) => matchesRoute(one, request.method ?? "", url.pathname));
    const headers = new Headers(FROM_PROXY);
    for (const [name, value] of Object.entries(request.headers)) {
      if (!HOP_BY_HOP.has(name) && typeof value === "string") headers.set(name, value);
    }
    const wanted = headers.get("Specmatic-Response-Code");
    let sent: Uint8Array | string = body;
    if (route !== undefined) {
      const type = headers.get("Content-Type") ?? "";
      const cue = { wanted, bytes: body.length, type, ownerKey: OWNER_KEY };
      const scene = await createFixture(client, route.operation, cue);
      const described = new OperationSchema(document, route.operation);
      url.pathname = pathOf(route, scene);
      swapHeaders(headers, described, scene);
      swapQuery(url.searchParams, described, scene);
      sent = swapBody(body, described, scene);
      if (body.length === 0 && sent.length > 0) headers.set("Content-Type", "application/json");
    }
    const answer = await fetch(url, {
      method: request.method ?? "GET",
      headers,
      ...(sent.length === 0 ? {} : { body: sent as BodyInit }),
    });
    if (answer.status >= 500) broken.push(`${route?.operation} ${answer.status}`);
    else if (answer.status >= 400 && wanted?.startsWith("4")) refusals.push(answer.status);
    const { "content-encoding": _, ...back } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, back);
    response.end(new Uint8Array(await answer.arrayBuffer()));
  }

  const server = createServer((request, response) => {
    play(request, response).catch((error: unknown) => {
      // Not an answer of the server's: specmatic must not take it for one.
      console.error("the stage failed:", error);
      response.destroy();
    });
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    broken,
    refusals,
    close: () => new Promise((settle) => server.close(() => settle())),
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
    throw new Error(`no scene for ${unknown.map(({ operation }) => operation).join(", ")}`);
  }
  return routes;
}

function matchesRoute({ method, template }: Route, given: string, pathname: string): boolean {
  const parts = pathname.split("/");
  return (
    method === given &&
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
