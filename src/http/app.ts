/** The HTTP face: every endpoint of the protocol bound to its handler, under two path names. */
import { Hono } from "hono";
import { RegExpRouter } from "hono/router/reg-exp-router";
import type { Failure } from "../domain/failure";
import type { Env } from "../env";
import { bugLine, callOf } from "../gateway/call";
import { Caller } from "../gateway/caller";
import { Gateway } from "../gateway/gateway";
import type { Endpoint } from "../protocol/endpoint";
import { endpointEntries } from "../protocol/endpoints";
import { answerJson, answerProblem } from "./answers";
import { answerPreflight, openToAll } from "./cross-origin";
import { serveDocs } from "./docs";
import { serveMetrics } from "./metrics";
import { serve } from "./serve";
import { upgradeSocket } from "./socket-upgrade";

type App = Hono<{ Bindings: Env }>;

export function createApp(): App {
  // Hono would fall back to a slower router if a path were one that this cannot take.
  const app: App = new Hono({ router: new RegExpRouter() });
  for (const [id, endpoint] of endpointEntries) {
    for (const path of pathsOf(endpoint)) {
      app.on(endpoint.method.toUpperCase(), path, (context) => serve(id, endpoint, context));
    }
  }
  for (const path of pathsOf(SOCKET)) {
    app.get(path, ({ env, req }) =>
      upgradeSocket(
        new Gateway(env, new Caller(req.raw.headers, env, callOf(req.raw))),
        req.param("ref") ?? "",
        req.raw.headers,
      ),
    );
  }
  app.get("/healthz", () => answerJson(200, { status: "ok" }));
  app.get("/metrics", ({ req, env }) => serveMetrics(req.raw, env));
  serveDocs(app);
  app.notFound((context) => answerProblem(absence(context.req.method, context.req.path)));
  app.onError(function hideInside(error, context) {
    if (context.env.LOG !== "off") console.error(bugLine(context.req.raw, error));
    return answerProblem({ code: "internal" });
  });
  return app;
}

/** Preflights are answered for every path, and every answer is open to every origin. */
export async function serveApi(
  app: App,
  request: Request,
  env: Env,
  context: Parameters<App["fetch"]>[2],
): Promise<Response> {
  if (request.method === "OPTIONS") return answerPreflight();
  return openToAll(request, await app.fetch(request, env, context));
}

/** Not an endpoint of the table: what it speaks after the handshake OpenAPI cannot say. */
const SOCKET = { path: "/sessions/{ref}/socket" } as const;

/** Fixed pages, which only GET and HEAD reach. */
const PAGES = [
  "/",
  "/arcp",
  "/healthz",
  "/metrics",
  "/openapi.json",
  "/docs",
  "/docs/style.css",
  "/docs/:page",
  "/docs/:folder/:page",
] as const;

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

const pathsOf = ({ path }: Pick<Endpoint, "path">): readonly string[] => [
  ...new Set([honoPath(path), honoPath(path.replace(/^\/sessions/, "/submissions"))]),
];

/** A known path with another method is 405, anything else 404. */
function absence(method: string, path: string): Failure {
  const allow = [
    ...endpointEntries
      .filter(([, endpoint]) => pathsOf(endpoint).some((pattern) => matches(pattern, path)))
      .flatMap(([, endpoint]) => methodsOf(endpoint.method)),
    ...([...pathsOf(SOCKET), ...PAGES].some((pattern) => matches(pattern, path))
      ? methodsOf("get")
      : []),
  ];
  return allow.length === 0 || allow.includes(method)
    ? { code: "not_found", what: "page" }
    : { code: "method_not_allowed", allow: [...new Set(allow)] };
}

const methodsOf = (method: Endpoint["method"]): readonly string[] =>
  method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()];

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/:\w+/g, "[^/]+").replaceAll(".", "\\.")}$`).test(path);
