/**
 * The one application: every route of the table bound to its handler, and one request to an endpoint:
 * its credential, its shape, its handler. What is common to answers is decided here, from the table:
 * CORS, 404 and 405, and what is shown of a bug.
 */
import { Hono, type Context } from "hono";
import type { Result as Match, Router } from "hono/router";
import type { Env } from "../env";
import { bugLine } from "../gateway/call";
import { diskFailure } from "../gateway/host";
import { JobGateway } from "../gateway/job-gateway";
import { OwnerGateway } from "../gateway/owner-gateway";
import { isBodyOptional, type Route, type Endpoint } from "../protocol/endpoint";
import { endpointEntries, type EndpointId } from "../protocol/endpoints";
import { PathTree } from "../protocol/path-tree";
import {
  isOpenPath,
  isOpenToOrigins,
  isPagePath,
  methodsAt,
  pathsOf,
  ROUTES,
} from "../protocol/routes";
import type { ConsoleRouteId, OtherRouteId, PageRouteId } from "../protocol/routes";
import { answerProblem } from "./answers";
import { answerPreflight, closeToOthers, openToAll } from "./cross-origin";
import { ABSENT_PAGE, answerPlainPage, wantsPage } from "./plain-page";
import { invalid, type Failure } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";
import { parseAs } from "../protocol/json-guard";
import { queryWords } from "../protocol/shape-words";
import { idempotencyKeyOf, ifMatchOf } from "./conditions";
import { Given, refused } from "./handler";
import type { Handler, Parsed, Presentations, RequestContext, Services } from "./handler";
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
        return isOpen ? openToAll(context.req.raw, answer) : closeToOthers(answer);
      });
    }
  };
  for (const [id, endpoint] of endpointEntries) {
    bind(endpoint, (context) => serve(id, endpoint, context));
  }
  for (const [id, handler] of Object.entries(handlers)) bind(ROUTES[id as OtherRouteId], handler);
  app.notFound((context) => answerAbsence(context, pages));
  app.onError(async function hideInside(error, { env, req }) {
    const failure = await diskFailure(env);
    if (failure === null && env.LOG !== "off") console.error(bugLine(req.raw, error));
    if (isPagePath(req.path)) return pages.failed();
    const answer = answerProblem(failure ?? { code: "internal" });
    return isOpenPath(req.path, req.method) ? openToAll(req.raw, answer) : closeToOthers(answer);
  });
  return app;
}

/**
 * A known path with another method is 405, anything else 404. A preflight is answered for every path,
 * but what it allows is nothing where pages of other origins may not ask.
 */
function answerAbsence(
  { req }: Context<{ Bindings: Env }>,
  pages: Faces["pages"],
): Response | Promise<Response> {
  const allow = methodsAt(req.path);
  if (isPagePath(req.path)) return pages.absent(allow);
  if (req.method === "OPTIONS") {
    const wanted = req.header("Access-Control-Request-Method") ?? null;
    return isOpenPath(req.path, wanted) ? answerPreflight() : new Response(null, { status: 204 });
  }
  const isAbsent = allow.length === 0 || allow.includes(req.method);
  if (isAbsent && req.method === "GET" && wantsPage(req.raw.headers)) {
    return closeToOthers(answerPlainPage(ABSENT_PAGE));
  }
  const answer = answerProblem(
    isAbsent ? { code: "not_found", what: "page" } : { code: "method_not_allowed", allow },
  );
  return isOpenPath(req.path, req.method) ? openToAll(req.raw, answer) : closeToOthers(answer);
}

/** Shape of the credential first, then of the request; the rest of the order is the object's. */
async function serve(id: EndpointId, endpoint: Endpoint, context: RequestContext) {
  // What the table says of an endpoint ties door, presentation and handler together.
  const door = DOORS[endpoint.who ?? "token"] as (typeof DOORS)["token"];
  const handler = handlers[id] as Handler<EndpointId>;
  const given = new Given(context);
  const presented = await door.admit(given, endpoint);
  if (!presented.ok && endpoint.takesWrongToken !== true) return answerProblem(presented.error);
  const parsed = await parse(endpoint, context);
  if (!parsed.ok) {
    if (!presented.ok) return answerProblem(presented.error);
    const told = await door.tellMalformed?.(given, presented.value, parsed.error);
    return told ?? answerProblem(parsed.error);
  }
  given.take(parsed.value, presented.ok && !endpoint.takesWrongToken ? presented.value : presented);
  return handler(given);
}

const NOTHING = ok(undefined);

async function parse(endpoint: Endpoint, context: RequestContext): Promise<Result<Parsed>> {
  const { headers } = context.req.raw;
  const ifMatch = ifMatchOf(headers);
  if (!ifMatch.ok) return ifMatch;
  const idempotencyKey = idempotencyKeyOf(headers);
  if (!idempotencyKey.ok) return idempotencyKey;
  const query =
    endpoint.query === undefined
      ? NOTHING
      : parseAs(endpoint.query, context.req.query(), queryWords);
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

async function parseBody(endpoint: Endpoint, request: Request): Promise<Result<unknown>> {
  if (endpoint.body === undefined) return NOTHING;
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
interface Door<P> {
  admit(request: Services, endpoint: Endpoint): Promise<Result<P>>;
  /** A credential that does not count is told before what is wrong with the rest of its request. */
  tellMalformed?(request: Services, presented: P, failure: Failure): Promise<Response>;
}

const bearerOf = ({ headers }: Services): string | null => headers.get("Authorization");

const DOORS: { readonly [W in NonNullable<Endpoint["who"]>]: Door<Presentations[W]> } = {
  none: { admit: async () => ok(null) },
  token: {
    admit: (request) =>
      request.gateway.readCredential(request.params["ref"] ?? "", bearerOf(request)),
    tellMalformed: async ({ gateway }, presented, failure) =>
      refused(await gateway.refusal(presented, failure)),
  },
  owner: { admit: ({ gateway }) => gateway.creator() },
  key: { admit: ({ use }, { right = "manage" }) => use(OwnerGateway).admit(right) },
  agent: {
    admit: (request) =>
      request.use(JobGateway).admitExecutor(request.params["name"] ?? "", bearerOf(request)),
  },
  job: {
    admit: (request) => request.use(JobGateway).presentJob(bearerOf(request)),
    async tellMalformed({ use }, presented, failure) {
      const reply = await use(JobGateway).report(presented, refuse(failure), null);
      return answerProblem(reply.ok ? failure : reply.failure);
    },
  },
};
