/** The pages for people: the link, its page, and what these load. Cookies count only under the link. */
import { Hono } from "hono";
import { renderSVG } from "uqr";
import { parseCode, type LinkCode } from "../domain/links/link-code";
import type { Env } from "../env";
import { bugLine } from "../gateway/call";
import { isOpenToAll } from "../gateway/owner-keys";
import { Gateway } from "../gateway/gateway";
import { publicUrlOf } from "../gateway/public-url";
import { credentialIn, drawNonce, isOwnForm, nonceIn, setCredential, setNonce } from "./guard";
import { Landing, Refused } from "./landing";
import { answerPage } from "./layout";
import { streamNews } from "./live";
import { answerAsset } from "./assets";
import { Front } from "./front";
import { Page } from "./page";
import { refusalOf } from "./visit";
import { PROBLEMS } from "./words";
import { busy, callerOf, guestOf, linksOf, refuse, refuseLink, type PageContext } from "./guest";
import { giveFile, readForm, seeOther, takeAction, takeFile } from "./post";

export function createPages(): Hono<{ Bindings: Env }> {
  const app = new Hono<{ Bindings: Env }>();
  app.get("/assets/:file", ({ req }) => answerAsset(req.path) ?? refuse("unknown"));
  app.get("/", ({ env }) =>
    answerPage(<Front publicUrl={publicUrlOf(env)} needsKey={!isOpenToAll(env)} />),
  );
  app.get("/h/:code", withCode(showLink));
  app.post("/h/:code", withCode(openLink));
  app.get("/h/:code/qr.svg", withCode(showQr));
  app.get("/h/:code/live", withCode(followLive));
  app.post("/h/:code/act", withCode(takeAction));
  app.post("/h/:code/files", withCode(takeFile));
  app.get("/h/:code/files/:upload", withCode(giveFile));
  app.notFound(({ req }) => {
    const allow = methodsAt(app.routes, req.path);
    return allow.length === 0
      ? refuse("unknown")
      : answerPage(<Refused why="unknown" />, 405, { Allow: allow.join(", ") });
  });
  app.onError(function hideInside(error, context) {
    if (context.env.LOG !== "off") console.error(bugLine(context.req.raw, error));
    return new Response(PROBLEMS.busy, { status: 500 });
  });
  return app;
}

/** The front page only where it is looked at; links and files of pages whatever is asked. */
export const isPage = (method: string, path: string): boolean =>
  (path === "/" && (method === "GET" || method === "HEAD")) ||
  path.startsWith("/h/") ||
  path.startsWith("/assets/");

/** The methods that a path is there for; none where there is no such path. */
function methodsAt(
  routes: readonly { readonly method: string; readonly path: string }[],
  path: string,
): readonly string[] {
  const methods = routes
    .filter((route) => new RegExp(`^${route.path.replaceAll(/:\w+/g, "[^/]+")}$`).test(path))
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...new Set(methods)];
}

type CodeHandler = (context: PageContext, code: LinkCode) => Promise<Response> | Response;

/** A mistyped code ends here, before any object; another spelling leads to the one the cookie knows. */
const withCode =
  (handler: CodeHandler) =>
  (context: PageContext): Promise<Response> | Response => {
    const given = context.req.param("code") ?? "";
    const code = parseCode(given);
    if (code === null) return refuse("unknown");
    if (given !== code && context.req.method === "GET") {
      const { pathname, search } = new URL(context.req.url);
      const rest = pathname
        .split("/")
        .slice(3)
        .map((part) => `/${part}`)
        .join("");
      return context.redirect(`/h/${code}${rest}${search}`, 302);
    }
    return handler(context, code);
  };

/** Reads only. Without the link's cookie it shows that something waits, or why it does not. */
async function showLink(context: PageContext, code: LinkCode): Promise<Response> {
  const again = context.req.query("again") !== undefined;
  const guest = again ? null : await guestOf(context, code);
  if (guest instanceof Response) return guest;
  if (guest !== null) {
    const done = context.req.query("done");
    return answerPage(<Page visit={guest.visit} state={{ key: drawNonce(), done }} />);
  }
  const answer = await linksOf(context).look(code);
  if (!answer.ok) return busy(answer.failure);
  if (answer.value.state !== "waiting") return refuseLink(answer.value);
  const nonce = drawNonce();
  return answerPage(<Landing code={code} nonce={nonce} />, 200, {
    "Set-Cookie": setNonce(context.env, code, nonce),
  });
}

/** The click. The form's nonce and its cookie must be the same, and the form our own. */
async function openLink(context: PageContext, code: LinkCode): Promise<Response> {
  const { raw } = context.req;
  const typed = isOwnForm(raw, context.env) ? (await readForm(raw))?.typed : undefined;
  const nonce = typed?.get("nonce");
  if (
    typed === undefined ||
    nonce === undefined ||
    nonce === "" ||
    nonce !== nonceIn(raw.headers, context.env)
  ) {
    return refuse("forged", `/h/${code}`);
  }
  const name = typed.get("name")?.trim();
  const reply = await linksOf(context).open(code, name === "" ? undefined : name);
  if (!reply.ok) return busy(reply.failure);
  const answer = reply.value;
  if (answer.state !== "opened" || !("cookie" in answer)) return refuseLink(answer);
  return seeOther(
    code,
    "opened",
    setCredential(context.env, code, answer.cookie, answer.expiresAt - Date.now()),
  );
}

async function followLive(context: PageContext, code: LinkCode): Promise<Response> {
  const cookie = credentialIn(context.req.raw.headers, context.env);
  const presented = cookie === null ? null : linksOf(context).present(code, cookie);
  // 204 tells an EventSource not to come back.
  if (presented === null) return new Response(null, { status: 204 });
  const given = context.req.header("Last-Event-ID") ?? context.req.query("after") ?? "";
  const after = /^\d{1,15}$/.test(given) ? Number(given) : null;
  const follower = new Gateway(context.env, callerOf(context)).follow(presented, after, []);
  // The runtime does not cancel a stream whose reader is gone.
  context.req.raw.signal.addEventListener("abort", () => follower.close());
  const first = await follower.start();
  if (first.ok) return streamNews(follower);
  const why = refusalOf(first.failure);
  return why === null
    ? busy(first.failure)
    : new Response(`event: over\ndata: ${why}\n\n`, {
        headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" },
      });
}

/** The link as a picture. Anybody who can ask for it has the code already. */
function showQr(context: PageContext, code: LinkCode): Response {
  return new Response(renderSVG(`${publicUrlOf(context.env)}/h/${code}`, { border: 2 }), {
    headers: {
      "Content-Type": "image/svg+xml; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    },
  });
}
