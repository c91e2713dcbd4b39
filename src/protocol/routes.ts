/**
 * The table of all routes, and lookups by path. Dispatch, 404 and 405, the names in logs and metrics,
 * CORS and the tests of the gate use it. OpenAPI is generated from its API routes only.
 */
import type { Route } from "./api-route";
import { API_ROUTES } from "./api-routes";
import { consoleRoutes, otherRoutes, pageRoutes } from "./other-routes";
import { PathTree } from "./path-tree";

export const ROUTES = { ...API_ROUTES, ...otherRoutes, ...pageRoutes, ...consoleRoutes };

export type ConsoleRouteId = keyof typeof consoleRoutes;
export type PageRouteId = keyof typeof pageRoutes;
export type OtherRouteId = keyof typeof otherRoutes;

const UNMATCHED = "unmatched";

/** `/submissions/…` is an alias of `/sessions/…`. */
export const pathsOf = ({ path }: Pick<Route, "path">): readonly string[] => [
  ...new Set([path, path.replace(/^\/sessions/, "/submissions")]),
];

const routeTree = new PathTree<Route>();
for (const route of Object.values<Route>(ROUTES)) {
  for (const path of pathsOf(route)) routeTree.add(route.method.toUpperCase(), path, route);
}

/** For logs and metrics: the pattern, never the path, which can contain a token or a code. */
export function routePattern(path: string): string {
  const [route] = routeTree.find(path)?.values.values() ?? [];
  return route === undefined ? UNMATCHED : route.path.replaceAll("*", "");
}

/** The methods of a path. Empty if the path does not exist. */
export const methodsAt = (path: string): readonly string[] =>
  [...(routeTree.find(path)?.values.keys() ?? [])].flatMap((method) =>
    method === "GET" ? ["GET", "HEAD"] : [method],
  );

const firstSegment = (path: string): string => path.split("/")[1] ?? "";

const PAGE_FOLDERS = new Set(
  Object.values({ ...pageRoutes, ...consoleRoutes })
    .map(({ path }) => firstSegment(path))
    .filter((name) => name !== ""),
);

/** True if a request for this path comes from a browser page, whether or not the path exists. */
export const isPagePath = (path: string): boolean => PAGE_FOLDERS.has(firstSegment(path));

/** True if a page of another origin may read the response. Rights come from tokens, except on pages. */
export const isOpenToOrigins = ({ auth, origins }: Pick<Route, "auth" | "origins">): boolean =>
  origins !== "own" && auth !== "page";

/** The same for a path. The method can be the request's, the one of a preflight, or one that is not allowed. */
export function isPathOpenToOrigins(path: string, method: string | null): boolean {
  const routes = routeTree.find(path)?.values;
  if (routes === undefined) return true;
  const named = routes.get(method === "HEAD" ? "GET" : (method ?? "")) ?? routes.get("ANY");
  return named === undefined ? [...routes.values()].some(isOpenToOrigins) : isOpenToOrigins(named);
}
