/**
 * The HTTP application: binds every route of the table to its handler. For an API route it authenticates
 * the caller, parses the request and calls the handler. What all responses share is decided here, from
 * the table: CORS, 404 and 405, and what is shown of a bug.
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
import { idempotencyKeyOf, ifMatchOf, leaseOf } from "./conditions";
import { RequestContext, answerRefusal } from "./handler";
import type { Handler, ParsedRequest, Principals, HonoContext, Services } from "./handler";
import { handlers } from "./handlers";
import { readJsonBody } from "./json-body";

type App = Hono<{ Bindings: Env }>;
export type RouteHandler = (context: Context<{ Bindings: Env }>) => Response | Promise<Response>;

/** What the other faces provide: handlers for their routes, and their pages for 404 and errors. */
interface Faces {
  readonly handlers: Readonly<Record<OtherRouteId | PageRouteId | ConsoleRouteId, RouteHandler>>;
  readonly pages: {
    absent(allow: readonly string[]): Response | Promise<Response>;
    failed(): Response;
  };
}

/** Replaces Hono's router by the one that the table of routes uses. */
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
  for (const [id, route] of apiRouteEntries) {
    bind(route, (context) => serveRoute(id, route, context));
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
 * but allows nothing if pages of other origins may not call it.
 */
function answerNotFound(
  { req }: Context<{ Bindings: Env }>,
  pages: Faces["pages"],
): Response | Promise<Response> {
  const allow = methodsAt(req.path);
  if (isPagePath(req.path)) return pages.absent(allow);
  if (req.method === "OPTIONS") {
    const requestedMethod = req.header("Access-Control-Request-Method") ?? null;
    return isPathOpenToOrigins(req.path, requestedMethod)
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

/** The format of the credential is checked first, then the request; the object does the other checks. */
async function serveRoute(id: ApiRouteId, route: ApiRoute, context: HonoContext) {
  // The route table ensures that auth strategy, principal and handler belong together.
  const strategy = authStrategies[route.auth ?? "token"] as (typeof authStrategies)["token"];
  const handler = handlers[id] as Handler<ApiRouteId>;
  const request = new RequestContext(context);
  const principal = await strategy.authenticate(request, route);
  if (!principal.ok && route.takesWrongToken !== true) return answerProblem(principal.error);
  const parsed = await parse(route, context);
  if (!parsed.ok) {
    if (!principal.ok) return answerProblem(principal.error);
    const response = await strategy.reportMalformed?.(request, principal.value, parsed.error);
    return response ?? answerProblem(parsed.error);
  }
  request.setInput(
    parsed.value,
    principal.ok && !route.takesWrongToken ? principal.value : principal,
  );
  return handler(request);
}

const NO_VALUE = ok(undefined);

async function parse(route: ApiRoute, context: HonoContext): Promise<Result<ParsedRequest>> {
  const { headers } = context.req.raw;
  const ifMatch = ifMatchOf(headers);
  if (!ifMatch.ok) return ifMatch;
  const idempotencyKey = idempotencyKeyOf(headers);
  if (!idempotencyKey.ok) return idempotencyKey;
  const lease = leaseOf(headers);
  if (!lease.ok) return lease;
  const query =
    route.query === undefined
      ? NO_VALUE
      : parseAs(route.query, context.req.query(), queryErrorText);
  if (!query.ok) return query;
  const body = await parseBody(route, context.req.raw);
  if (!body.ok) return body;
  return ok({
    body: body.value,
    query: query.value,
    ifMatch: ifMatch.value,
    idempotencyKey: idempotencyKey.value,
  });
}

async function parseBody(route: ApiRoute, request: Request): Promise<Result<unknown>> {
  if (route.body === undefined) return NO_VALUE;
  const body = await readJsonBody(request);
  if (!body.ok) return body;
  if (body.value === undefined && !isBodyOptional(route)) {
    return refuse(invalid("a JSON body is needed"));
  }
  if (route.matchesFastPath?.(body.value) === true) return body;
  return parseAs(route.body, body.value === undefined ? {} : body.value);
}

/** How a kind of caller in the route table is authenticated, and what its handlers receive. */
interface AuthStrategy<P> {
  authenticate(request: Services, route: ApiRoute): Promise<Result<P>>;
  /** Reports an invalid credential before a malformed request. */
  reportMalformed?(request: Services, principal: P, failure: Failure): Promise<Response>;
}

const bearerOf = ({ headers }: Services): string | null => headers.get("Authorization");

const authStrategies: {
  readonly [W in NonNullable<ApiRoute["auth"]>]: AuthStrategy<Principals[W]>;
} = {
  none: { authenticate: async () => ok(null) },
  token: {
    authenticate: (request) => {
      const lease = leaseOf(request.headers);
      return request.gateway.readCredential(
        request.params["ref"] ?? "",
        bearerOf(request),
        lease.ok ? lease.value : null,
      );
    },
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
    async reportMalformed({ use }, principal, failure) {
      const reply = await use(JobGateway).report(principal, refuse(failure), null);
      return answerProblem(reply.ok ? failure : reply.failure);
    },
  },
};
