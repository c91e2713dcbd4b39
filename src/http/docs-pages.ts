/**
 * Serves the site under /docs. It is built in advance (scripts/site) and stored outside the Worker's
 * code: as static assets on Cloudflare, as a separate service elsewhere. That store returns bytes by
 * path; content types and policies are set here.
 */
import type { Env } from "../env";
import { answerProblem } from "./answers";
import type { RouteHandler } from "./app";
import { answerPlainPage, acceptsHtml } from "./plain-page";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  md: "text/markdown; charset=utf-8",
  json: "application/json",
  ...Object.fromEntries(
    ["mjs", "py", "sh", "toml", "txt", "cast"].map((name) => [name, "text/plain; charset=utf-8"]),
  ),
};

/** Only its own scripts and styles. Code highlighting uses style attributes. */
const SITE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** An image contains its styles and images, and loads nothing. */
const PICTURE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

const CACHE = "public, max-age=300";
/** File names that contain a content hash. */
const HASHED = /^\/docs\/assets\/.*\.[\w-]{8}(?:\.lean)?\.(?:js|css)$/;
const CACHE_IMMUTABLE = "public, max-age=31536000, immutable";

/** No name starts with a dot, so no path can leave the folder. */
const PATH = /^\/docs(?:\/[\w@][\w.@-]*)*$/;

export const serveDocsPage: RouteHandler = ({ req: { path, raw }, env, redirect }) =>
  path.endsWith("/") && PATH.test(path.slice(0, -1))
    ? redirect(path.slice(0, -1), 301)
    : serveFile(env, path, raw);

async function serveFile(env: Env, path: string, { headers }: Request): Promise<Response> {
  if (env.DOCS === undefined) return notBuilt(path);
  const extension = /\.(\w+)$/.exec(path)?.[1];
  const file =
    path === "/docs" ? "/docs/index.html" : extension === undefined ? `${path}.html` : path;
  const type = TYPES[extension ?? "html"];
  const found = PATH.test(path) && type !== undefined ? await fetchFile(env.DOCS, file) : null;
  if (found?.status === 503) return notBuilt(path);
  if (found?.ok === true && type !== undefined) {
    return answer(found, type, HASHED.test(path) ? CACHE_IMMUTABLE : CACHE);
  }
  if (!acceptsHtml(headers)) return answerProblem({ code: "not_found", what: "page" });
  const page = await fetchFile(env.DOCS, "/docs/404.html");
  return answer(new Response(page.body, { status: 404 }), TYPES["html"] ?? "", "no-store");
}

const fetchFile = (docs: NonNullable<Env["DOCS"]>, file: string): Promise<Response> =>
  docs.fetch(new URL(file, "https://docs.invalid"));

const answer = ({ body, status }: Response, type: string, cache: string): Response =>
  new Response(body, {
    status,
    headers: {
      "Content-Type": type,
      "Cache-Control": cache,
      "Content-Security-Policy": type === TYPES["svg"] ? PICTURE_POLICY : SITE_POLICY,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    },
  });

const REFRESH_S = "20";

/** Not an error: this page replaces the start page, and the other pages do not exist yet. */
const notBuilt = (path: string): Response =>
  answerPlainPage(
    {
      title: "The documentation is not built yet",
      text: "A new server builds it once, which takes about a minute; this page reloads by itself. If it does not appear, run <code>npm run docs</code>. The API is described at <a href='/openapi.json'>/openapi.json</a>.",
      status: path === "/docs" ? 200 : 404,
    },
    { Refresh: REFRESH_S },
  );
