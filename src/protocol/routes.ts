/**
 * Every route there is, and what a path means among them. Dispatch, 404 and 405, the names in logs and
 * metrics, CORS and the tests of the gate read this table; OpenAPI is written from its endpoints.
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

/** `/submissions/…` is another name of `/sessions/…`. */
export const pathsOf = ({ path }: Pick<Route, "path">): readonly string[] => [
  ...new Set([path, path.replace(/^\/sessions/, "/submissions")]),
];

const routeTree = new PathTree<Route>();
for (const route of Object.values<Route>(ROUTES)) {
  for (const path of pathsOf(route)) routeTree.add(route.method.toUpperCase(), path, route);
}

/** As logs and metrics may know it: the pattern, never the path, which may hold a token or a code. */
export function routePattern(path: string): string {
  const [route] = routeTree.find(path)?.values.values() ?? [];
  return route === undefined ? UNMATCHED : route.path.replaceAll("*", "");
}

/** The methods that a path is there for; none where there is no such path. */
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

/** Is whoever asks for this path looking at a page, whether or not it exists? */
export const isPagePath = (path: string): boolean => PAGE_FOLDERS.has(firstSegment(path));

/** May a page of another origin read the answer? Rights come from tokens, except on pages. */
export const isOpenToOrigins = ({ auth, origins }: Pick<Route, "auth" | "origins">): boolean =>
  origins !== "own" && auth !== "page";

/** The same of a path, for a method that is there, is asked for in a preflight, or is not allowed. */
export function isPathOpenToOrigins(path: string, method: string | null): boolean {
  const routes = routeTree.find(path)?.values;
  if (routes === undefined) return true;
  const named = routes.get(method === "HEAD" ? "GET" : (method ?? "")) ?? routes.get("ANY");
  return named === undefined ? [...routes.values()].some(isOpenToOrigins) : isOpenToOrigins(named);
}
