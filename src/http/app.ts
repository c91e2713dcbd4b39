/**
 * The one application: every route of the table bound to its handler, and one request to an endpoint:
 * its credential, its shape, its handler. What is common to answers is decided here, from the table:
 * CORS, 404 and 405, and what is shown of a bug.
 */
import { Hono, type Context } from "hono";
import type { Result as Match, Router } from "hono/router";
import type { Env } from "../env";
import { formatBug } from "../gateway/request-telemetry";
import { diskFailure } from "../gateway/host";
import { JobGateway } from "../gateway/job-gateway";
import { OwnerGateway } from "../gateway/owner-gateway";
import { isBodyOptional, type Route, type ApiRoute } from "../protocol/api-route";
import { apiRouteEntries, type ApiRouteId } from "../protocol/api-routes";
import { PathTree } from "../protocol/path-tree";
import {
  isPathOpenToOrigins,
  isOpenToOrigins,
  isPagePath,
  methodsAt,
  pathsOf,
  ROUTES,
} from "../protocol/routes";
import type { ConsoleRouteId, OtherRouteId, PageRouteId } from "../protocol/routes";
import { answerProblem } from "./answers";
import { answerPreflight, closeToOtherOrigins, openToAll } from "./cross-origin";
import { NOT_FOUND_PAGE, answerPlainPage, acceptsHtml } from "./plain-page";
import { invalid, type Failure } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";
import { parseAs } from "../protocol/parse-json";
import { queryErrorText } from "../protocol/schema-error-text";
import { idempotencyKeyOf, ifMatchOf } from "./conditions";
import { Given, answerRefusal } from "./handler";
import type { Handler, ParsedRequest, Principals, RequestContext, Services } from "./handler";
import { handlers } from "./handlers";
import { readJsonBody } from "./json-body";

type App = Hono<{ Bindings: Env }>;
export type RouteHandler = (context: Context<{ Bindings: Env }>) => Response | Promise<Response>;

/** What the other faces bring: their routes, and how a page says that something is not there. */
interface Faces {
  readonly handlers: Readonly<Record<OtherRouteId | PageRouteId | ConsoleRouteId, RouteHandler>>;
  readonly pages: {
    absent(allow: readonly string[]): Response | Promise<Response>;
    failed(): Response;
  };
}

/** Hono's place for a matcher, taken by the one that the table is read with. */
class TableRouter<T> implements Router<T> {
  readonly name = "table";
  readonly #tree = new PathTree<T>();

  add(method: string, path: string, handler: T): void {
    this.#tree.add(method, path, handler);
  }

  match(method: string, path: string): Match<T> {
    const found = this.#tree.find(path);
    const handler = found?.values.get(method) ?? found?.values.get("ANY");
    return found === null || handler === undefined ? [[]] : [[[handler, found.params]]];
  }
}

export function createApp({ handlers, pages }: Faces): App {
  const app: App = new Hono({ router: new TableRouter() });
  const bind = (route: Route, handler: RouteHandler): void => {
    const isOpen = isOpenToOrigins(route);
    for (const path of pathsOf(route)) {
      app.on(route.method.toUpperCase(), path, async (context) => {
        const answer = await handler(context);
        return isOpen ? openToAll(context.req.raw, answer) : closeToOtherOrigins(answer);
      });
    }
  };
  for (const [id, endpoint] of apiRouteEntries) {
    bind(endpoint, (context) => serveRoute(id, endpoint, context));
  }
  for (const [id, handler] of Object.entries(handlers)) bind(ROUTES[id as OtherRouteId], handler);
  app.notFound((context) => answerNotFound(context, pages));
  app.onError(async function hideInside(error, { env, req }) {
    const failure = await diskFailure(env);
    if (failure === null && env.LOG !== "off") console.error(formatBug(req.raw, error));
    if (isPagePath(req.path)) return pages.failed();
    const answer = answerProblem(failure ?? { code: "internal" });
    return isPathOpenToOrigins(req.path, req.method)
      ? openToAll(req.raw, answer)
      : closeToOtherOrigins(answer);
  });
  return app;
}

/**
 * A known path with another method is 405, anything else 404. A preflight is answered for every path,
 * but what it allows is nothing where pages of other origins may not ask.
 */
function answerNotFound(
  { req }: Context<{ Bindings: Env }>,
  pages: Faces["pages"],
): Response | Promise<Response> {
  const allow = methodsAt(req.path);
  if (isPagePath(req.path)) return pages.absent(allow);
  if (req.method === "OPTIONS") {
    const wanted = req.header("Access-Control-Request-Method") ?? null;
    return isPathOpenToOrigins(req.path, wanted)
      ? answerPreflight()
      : new Response(null, { status: 204 });
  }
  const isAbsent = allow.length === 0 || allow.includes(req.method);
  if (isAbsent && req.method === "GET" && acceptsHtml(req.raw.headers)) {
    return closeToOtherOrigins(answerPlainPage(NOT_FOUND_PAGE));
  }
  const answer = answerProblem(
    isAbsent ? { code: "not_found", what: "page" } : { code: "method_not_allowed", allow },
  );
  return isPathOpenToOrigins(req.path, req.method)
    ? openToAll(req.raw, answer)
    : closeToOtherOrigins(answer);
}

/** Shape of the credential first, then of the request; the rest of the order is the object's. */
async function serveRoute(id: ApiRouteId, endpoint: ApiRoute, context: RequestContext) {
  // What the table says of an endpoint ties door, presentation and handler together.
  const door = authStrategies[endpoint.auth ?? "token"] as (typeof authStrategies)["token"];
  const handler = handlers[id] as Handler<ApiRouteId>;
  const given = new Given(context);
  const presented = await door.authenticate(given, endpoint);
  if (!presented.ok && endpoint.takesWrongToken !== true) return answerProblem(presented.error);
  const parsed = await parse(endpoint, context);
  if (!parsed.ok) {
    if (!presented.ok) return answerProblem(presented.error);
    const told = await door.reportMalformed?.(given, presented.value, parsed.error);
    return told ?? answerProblem(parsed.error);
  }
  given.setInput(
    parsed.value,
    presented.ok && !endpoint.takesWrongToken ? presented.value : presented,
  );
  return handler(given);
}

const NO_VALUE = ok(undefined);

async function parse(endpoint: ApiRoute, context: RequestContext): Promise<Result<ParsedRequest>> {
  const { headers } = context.req.raw;
  const ifMatch = ifMatchOf(headers);
  if (!ifMatch.ok) return ifMatch;
  const idempotencyKey = idempotencyKeyOf(headers);
  if (!idempotencyKey.ok) return idempotencyKey;
  const query =
    endpoint.query === undefined
      ? NO_VALUE
      : parseAs(endpoint.query, context.req.query(), queryErrorText);
  if (!query.ok) return query;
  const body = await parseBody(endpoint, context.req.raw);
  if (!body.ok) return body;
  return ok({
    body: body.value,
    query: query.value,
    ifMatch: ifMatch.value,
    idempotencyKey: idempotencyKey.value,
  });
}

async function parseBody(endpoint: ApiRoute, request: Request): Promise<Result<unknown>> {
  if (endpoint.body === undefined) return NO_VALUE;
  const body = await readJsonBody(request);
  if (!body.ok) return body;
  if (body.value === undefined && !isBodyOptional(endpoint)) {
    return refuse(invalid("a JSON body is needed"));
  }
  if (endpoint.isPlain?.(body.value) === true) return body;
  return parseAs(endpoint.body, body.value === undefined ? {} : body.value);
}

/**
 * Who may ask, as the table of routes names them: how each is recognised, what its handlers are then
 * given, and who is told first where the rest of a request is malformed.
 */
interface AuthStrategy<P> {
  authenticate(request: Services, endpoint: ApiRoute): Promise<Result<P>>;
  /** A credential that does not count is told before what is wrong with the rest of its request. */
  reportMalformed?(request: Services, presented: P, failure: Failure): Promise<Response>;
}

const bearerOf = ({ headers }: Services): string | null => headers.get("Authorization");

const authStrategies: {
  readonly [W in NonNullable<ApiRoute["auth"]>]: AuthStrategy<Principals[W]>;
} = {
  none: { authenticate: async () => ok(null) },
  token: {
    authenticate: (request) =>
      request.gateway.readCredential(request.params["ref"] ?? "", bearerOf(request)),
    reportMalformed: async ({ gateway }, credential, failure) =>
      answerRefusal(await gateway.refusal(credential, failure)),
  },
  owner: { authenticate: ({ gateway }) => gateway.creator() },
  key: { authenticate: ({ use }, { right = "manage" }) => use(OwnerGateway).admit(right) },
  agent: {
    authenticate: (request) =>
      request.use(JobGateway).admitExecutor(request.params["name"] ?? "", bearerOf(request)),
  },
  job: {
    authenticate: (request) => request.use(JobGateway).readJobCredential(bearerOf(request)),
    async reportMalformed({ use }, presented, failure) {
      const reply = await use(JobGateway).report(presented, refuse(failure), null);
      return answerProblem(reply.ok ? failure : reply.failure);
    },
  },
};
