/**
 * What stands between specmatic and the server. Specmatic makes each request up from the document and
 * knows no session; the stage begins one for it on the real server, in the state that the operation
 * needs, and puts its live names in place of the made-up ones: session, token, ids, version, seqs.
 * Only what is well-formed is replaced: whatever specmatic made wrong on purpose, or left out, goes
 * through as it is, and the server's answer comes back unchanged.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "../../support/client.ts";
import { BYTES, SCENES, sceneOf, type Scene } from "./scenes.ts";

interface Route {
  readonly operation: string;
  readonly method: string;
  readonly template: readonly string[];
}

export interface Stage {
  readonly url: string;
  /** Answers of 500 and above, by operation: there may be none. */
  readonly broken: readonly string[];
  close(): Promise<void>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
type Json = any;

const HOP_BY_HOP = new Set(["host", "connection", "content-length", "transfer-encoding"]);
/** A random number from the document's range would hold the request for a minute. */
const SHORT_WAIT_MS = 50;

export async function openStage(target: string, document: Json): Promise<Stage> {
  const routes = routesOf(document);
  const client = new Client(fetch, target);
  const broken: string[] = [];

  async function play(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request);
    const url = new URL(request.url ?? "/", target);
    const route = routes.find((one) => fits(one, request.method ?? "", url.pathname));
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (!HOP_BY_HOP.has(name) && typeof value === "string") headers.set(name, value);
    }
    let sent: Uint8Array | string = body;
    if (route !== undefined) {
      const type = headers.get("Content-Type") ?? "";
      const wanted = headers.get("Specmatic-Response-Code");
      const scene = await sceneOf(client, route.operation, { wanted, bytes: body.length, type });
      url.pathname = pathIn(route, scene);
      swapHeaders(headers, scene);
      swapQuery(url.searchParams, scene);
      sent = swapBody(body, scene);
      if (body.length === 0 && sent.length > 0) headers.set("Content-Type", "application/json");
    }
    const answer = await fetch(url, {
      method: request.method ?? "GET",
      headers,
      ...(sent.length === 0 ? {} : { body: sent as BodyInit }),
    });
    if (answer.status >= 500) broken.push(`${route?.operation} ${answer.status}`);
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
  const unknown = routes.filter(({ operation }) => !(operation in SCENES));
  if (unknown.length > 0) {
    throw new Error(`no scene for ${unknown.map(({ operation }) => operation).join(", ")}`);
  }
  return routes;
}

function fits({ method, template }: Route, given: string, pathname: string): boolean {
  const parts = pathname.split("/");
  return (
    method === given &&
    parts.length === template.length &&
    template.every((part, index) => part.startsWith("{") || part === parts[index])
  );
}

const pathIn = ({ template }: Route, { path }: Scene): string =>
  template
    .map((part) => (part.startsWith("{") ? (path[part.slice(1, -1)] ?? part) : part))
    .join("/");

function swapHeaders(headers: Headers, { token, version, key }: Scene): void {
  if (key !== undefined && headers.has("Idempotency-Key")) headers.set("Idempotency-Key", key);
  if (/^Bearer \w+$/.test(headers.get("Authorization") ?? "")) {
    headers.set("Authorization", `Bearer ${token}`);
  }
  if (/^"\d{1,15}(\.\d{1,15})?"$/.test(headers.get("If-Match") ?? "")) {
    headers.set("If-Match", `"${version}"`);
  }
  // Any type will do for a file, but a request has to name one.
  if (headers.get("Content-Type") === "*/*") headers.set("Content-Type", BYTES);
  if (/^\d{1,15}$/.test(headers.get("Last-Event-ID") ?? "")) headers.set("Last-Event-ID", "1");
}

const isWhole = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

/** Places in the log, and how long to wait. Times of `after` in the audit are left as they are. */
function swapQuery(query: URLSearchParams, { head }: Scene): void {
  for (const name of ["after", "cursor", "lastEventSeq"]) {
    const value = query.get(name) ?? "";
    if (/^\d{1,15}$/.test(value)) query.set(name, String(Math.min(Number(value), head)));
  }
  const wait = query.get("waitMs") ?? "";
  if (/^\d{1,15}$/.test(wait) && Number(wait) <= 60_000) {
    query.set("waitMs", String(Math.min(Number(wait), SHORT_WAIT_MS)));
  }
}

function swapBody(bytes: Uint8Array, { swaps, adds }: Scene): Uint8Array | string {
  let body: Json;
  try {
    body = JSON.parse(new TextDecoder().decode(bytes) || (adds === undefined ? "" : "{}"));
  } catch {
    return bytes;
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) return bytes;
  for (const [name, { isWellFormed, value }] of Object.entries(swaps)) {
    if (name in body && isWellFormed(body[name])) body[name] = value;
  }
  if (isWhole(body.waitMs) && body.waitMs <= 60_000) {
    body.waitMs = Math.min(body.waitMs, SHORT_WAIT_MS);
  }
  return JSON.stringify({ ...body, ...adds });
}

async function bytesOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return new Uint8Array(Buffer.concat(chunks));
}
