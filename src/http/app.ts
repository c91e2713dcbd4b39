/**
 * The one application: every route of the table bound to its handler. What is common to answers is
 * decided here, from the table: CORS, 404 and 405, and what is shown of a bug.
 */
import { Hono, type Context } from "hono";
import type { Result, Router } from "hono/router";
import type { Env } from "../env";
import { bugLine } from "../gateway/call";
import type { Route } from "../protocol/endpoint";
import { endpointEntries } from "../protocol/endpoints";
import { PathTree } from "../protocol/path-tree";
import {
  isOpenPath,
  isOpenToOrigins,
  isPagePath,
  methodsAt,
  pathsOf,
  ROUTES,
  type ConsoleRouteId,
  type OtherRouteId,
  type PageRouteId,
} from "../protocol/routes";
import { answerProblem } from "./answers";
import { answerPreflight, closeToOthers, openToAll } from "./cross-origin";
import { ABSENT_PAGE, answerPlainPage, wantsPage } from "./plain-page";
import { serve } from "./serve";

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

  match(method: string, path: string): Result<T> {
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
  app.onError(function hideInside(error, { env, req }) {
    if (env.LOG !== "off") console.error(bugLine(req.raw, error));
    if (isPagePath(req.path)) return pages.failed();
    const answer = answerProblem({ code: "internal" });
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
