/**
 * The name of a route as logs and metrics may know it: the pattern, never the path, because a path
 * may hold a token or a code.
 */
import { ENDPOINTS } from "../protocol/endpoints";

interface Route {
  readonly pattern: string;
  readonly segments: readonly string[];
}

const UNMATCHED = "unmatched";

/** Beside the endpoints: sockets, pages, and what describes the server. */
const OTHERS = [
  "/sessions/{ref}/socket",
  "/h/{code}",
  "/h/{code}/qr.svg",
  "/h/{code}/live",
  "/h/{code}/act",
  "/h/{code}/files",
  "/h/{code}/files/{upload}",
  "/assets/{file}",
  "/arcp",
  "/mcp",
  "/healthz",
  "/metrics",
  "/openapi.json",
  "/docs",
  "/docs/style.css",
  "/",
] as const;

const patterns = new Set([...Object.values(ENDPOINTS).map(({ path }) => path), ...OTHERS]);
const routes: readonly Route[] = [...patterns].map((pattern) => ({
  pattern,
  segments: pattern.split("/"),
}));

const isOpen = (segment: string): boolean => segment.startsWith("{");

/** Of a request's address. Not parsed again: it may be one that cannot be. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start === -1) return "/";
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

export function routePattern(pathname: string): string {
  const segments = pathname.split("/");
  // Another name of the same routes.
  if (segments[1] === "submissions") segments[1] = "sessions";
  return routes.find((route) => matches(route.segments, segments))?.pattern ?? UNMATCHED;
}

const matches = (pattern: readonly string[], path: readonly string[]): boolean =>
  pattern.length === path.length &&
  pattern.every((segment, index) =>
    isOpen(segment) ? path[index] !== "" : segment === path[index],
  );
