/** The HTTP face: every endpoint of the protocol bound to its handler, under two path names. */
import { Hono, type Context } from "hono";
import { cors } from "hono/cors";
import { describeBug } from "../domain/bug";
import type { Failure } from "../domain/failure";
import { invalid } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";
import { callOf } from "../gateway/call";
import { Caller, CREATE_KEY_HEADER } from "../gateway/caller";
import { Gateway } from "../gateway/gateway";
import { publicUrlOf } from "../gateway/public-url";
import { Uploads } from "../gateway/uploads";
import { JobGateway } from "../gateway/job-gateway";
import type { Presented } from "../gateway/presented";
import { endpointEntries, type Endpoint, type EndpointId } from "../protocol/endpoints";
import { parseAs } from "../protocol/json-guard";
import { answerJson, answerProblem } from "./answers";
import { createSession, resume } from "./beginnings";
import { idempotencyKeyOf, ifMatchOf } from "./conditions";
import { admitExecutor, serveExecutor, type ExecutorEndpointId } from "./executors";
import { handlers, refused, type Input } from "./handlers";
import { readJsonBody } from "./json-body";
import { upgradeSocket } from "./socket-upgrade";
import { serveDocs } from "./docs";

type App = Hono<{ Bindings: Env }>;
type RequestContext = Context<{ Bindings: Env }>;

const EXPOSED = [
  "ETag",
  "Resume-Token",
  "Location",
  "Retry-After",
  "Idempotent-Replayed",
  "X-Request-Id",
  "Baton-Head",
  "Server-Timing",
  "RateLimit",
  "RateLimit-Policy",
];
const ACCEPTED = [
  "Authorization",
  "Content-Type",
  "If-Match",
  "If-None-Match",
  "Idempotency-Key",
  "Last-Event-ID",
  "X-Request-Id",
  "traceparent",
  "tracestate",
  CREATE_KEY_HEADER,
];
const PREFLIGHT_SECONDS = 86_400;

export function createApp(): App {
  const app: App = new Hono();
  app.use(
    cors({
      origin: "*",
      allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      allowHeaders: ACCEPTED,
      exposeHeaders: EXPOSED,
      maxAge: PREFLIGHT_SECONDS,
    }),
  );
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
  serveDocs(app);
  app.notFound((context) => answerProblem(absence(context.req.method, context.req.path)));
  app.onError(function hideInside(error, context) {
    // The path may hold a token, so the log names the request, not where it went.
    const { requestId, sessionId } = callOf(context.req.raw) ?? {};
    const { method } = context.req;
    const line = { message: "unhandled", requestId, sessionId, method, ...describeBug(error) };
    if (context.env.LOG !== "off") console.error(JSON.stringify(line));
    return answerProblem({ code: "internal" });
  });
  return app;
}

/** Not an endpoint of the table: what it speaks after the handshake OpenAPI cannot say. */
const SOCKET = { path: "/sessions/{ref}/socket" } as const;

/** Fixed pages, which only GET and HEAD reach. */
const PAGES = ["/", "/arcp", "/healthz", "/openapi.json", "/docs", "/docs/style.css"] as const;

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

const pathsOf = ({ path }: Pick<Endpoint, "path">): readonly string[] => [
  ...new Set([honoPath(path), honoPath(path.replace(/^\/sessions/, "/submissions"))]),
];

/** Shape of the credential first, then of the request; the rest of the order is the object's. */
async function serve(
  id: EndpointId,
  endpoint: Endpoint,
  context: RequestContext,
): Promise<Response> {
  if (endpoint.bearer !== undefined)
    return serveBearer(id as ExecutorEndpointId, endpoint, context);
  const { headers, signal } = context.req.raw;
  const caller = new Caller(headers, context.env, callOf(context.req.raw));
  const gateway = new Gateway(context.env, caller);
  const params = context.req.param() as Record<string, string>;
  const presented =
    id === "createSession"
      ? null
      : await gateway.present(params["ref"] ?? "", headers.get("Authorization"));
  if (presented !== null && !presented.ok && id !== "resume") return answerProblem(presented.error);
  const creator = presented === null ? await gateway.creator() : null;
  if (creator?.ok === false) return answerProblem(creator.error);

  const parsed = await parse(endpoint, context);
  if (!parsed.ok) return answerMalformed(gateway, presented, parsed.error);
  const publicUrl = publicUrlOf(context.env);
  const raw = context.req.raw;
  const uploads = new Uploads(context.env, caller);
  const jobs = new JobGateway(context.env, caller);
  const input = {
    gateway,
    jobs,
    headers,
    signal,
    params,
    publicUrl,
    uploads,
    raw,
    ...parsed.value,
  };
  if (id === "createSession") return createSession(input as never);
  if (presented === null) throw new Error("unreachable: all others present a token");
  if (id === "resume") return resume(input as never, presented);
  if (!presented.ok) return answerProblem(presented.error);
  const handler = handlers[id as keyof typeof handlers] as (input: Input) => Promise<Response>;
  return handler({ ...input, presented: presented.value } as Input);
}

/** What executors call: who they are first, then the shape of what they say. */
async function serveBearer(
  id: ExecutorEndpointId,
  endpoint: Endpoint,
  context: RequestContext,
): Promise<Response> {
  const { headers, signal } = context.req.raw;
  const jobs = new JobGateway(
    context.env,
    new Caller(headers, context.env, callOf(context.req.raw)),
  );
  const name = context.req.param("name") ?? "";
  const bearer = endpoint.bearer ?? "job";
  const executor = await admitExecutor(jobs, bearer, name, headers.get("Authorization"));
  if (!executor.ok) return answerProblem(executor.error);
  const parsed = await parse(endpoint, context);
  if (!parsed.ok) return answerProblem(parsed.error);
  const { body, idempotencyKey } = parsed.value;
  return serveExecutor(jobs, id, executor.value, { body, idempotencyKey, signal });
}

/** A wrong, gone, expired or fenced token is told before what is wrong with the rest of its request. */
async function answerMalformed(
  gateway: Gateway,
  presented: Result<Presented, Failure> | null,
  failure: Failure,
): Promise<Response> {
  if (presented === null) return answerProblem(failure);
  if (!presented.ok) return answerProblem(presented.error);
  const known = await gateway.get(presented.value);
  return known.ok ? answerProblem(failure) : refused(known);
}

type Parsed = Pick<Input, "body" | "query" | "ifMatch" | "idempotencyKey">;

async function parse(
  endpoint: Endpoint,
  context: RequestContext,
): Promise<Result<Parsed, Failure>> {
  const { headers } = context.req.raw;
  const ifMatch = ifMatchOf(headers);
  if (!ifMatch.ok) return ifMatch;
  const idempotencyKey = idempotencyKeyOf(headers);
  if (!idempotencyKey.ok) return idempotencyKey;
  const query = parsePart(endpoint.query, context.req.query());
  if (!query.ok) return query;
  const body = await parseBody(endpoint, context.req.raw);
  if (!body.ok) return body;
  return ok({
    body: body.value as never,
    query: query.value as never,
    ifMatch: ifMatch.value,
    idempotencyKey: idempotencyKey.value,
  });
}

async function parseBody(endpoint: Endpoint, request: Request): Promise<Result<unknown, Failure>> {
  if (endpoint.body === undefined) return ok(undefined);
  const body = await readJsonBody(request);
  if (!body.ok) return body;
  if (body.value === undefined && endpoint.bodyOptional !== true) {
    return refuse(invalid("a JSON body is needed"));
  }
  return parsePart(endpoint.body, body.value === undefined ? {} : body.value);
}

const parsePart = (schema: Endpoint["body"], value: unknown): Result<unknown, Failure> =>
  schema === undefined ? ok(undefined) : parseAs(schema, value);

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
