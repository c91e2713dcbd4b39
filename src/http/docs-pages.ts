/**
 * The pages below /docs, made from the Markdown at build time (scripts/site) and kept outside the
 * Worker's code: as static assets on Cloudflare, as a service beside it elsewhere. Whoever holds them
 * gives bytes by path; what they are and how they may be used is said here.
 */
import type { Env } from "../env";
import { answerProblem } from "./answers";
import type { RouteHandler } from "./app";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  svg: "image/svg+xml",
  md: "text/markdown; charset=utf-8",
  mjs: "text/plain; charset=utf-8",
  sh: "text/plain; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  cast: "text/plain; charset=utf-8",
  json: "application/json",
};

export const DOCS_HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
} as const;

/** A picture has its looks, and pictures in it, inside, and loads nothing. */
const PICTURE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

const CACHE = "public, max-age=300";

/** A name, or a name in a folder: nothing that could climb. */
const PATH = /^\/docs\/(?:[a-z]+\/)?[\w-]+(?:\.(html|svg|md|mjs|sh|txt|cast|json))?$/;

export const serveDocsPage: RouteHandler = ({ req: { path }, env, redirect }) =>
  path === "/docs/" ? redirect("/docs", 301) : givePage(env, path);

async function givePage(env: Env, asked: string): Promise<Response> {
  const [path, extension] = PATH.exec(asked) ?? [];
  if (path === undefined || env.DOCS === undefined) return absent();
  const file = extension === undefined ? `${path}.html` : path;
  const found = await env.DOCS.fetch(new URL(file, "https://docs.invalid"));
  if (!found.ok) {
    await found.body?.cancel();
    return absent();
  }
  const type = TYPES[extension ?? "html"] ?? "application/octet-stream";
  const headers = new Headers({ ...DOCS_HEADERS, "Content-Type": type, "Cache-Control": CACHE });
  if (extension === "svg") headers.set("Content-Security-Policy", PICTURE_POLICY);
  return new Response(found.body, { headers });
}

const absent = (): Response => answerProblem({ code: "not_found", what: "page" });
