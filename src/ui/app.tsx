/** The pages for people: the link, its page, and what these load. Cookies count only under the link. */
import { Hono, type Context } from "hono";
import { renderSVG } from "uqr";
import type { Failure } from "../domain/failure";
import { describeBug } from "../domain/bug";
import { numberOf } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import { parseCode, type LinkCode } from "../domain/link-code";
import type { Env } from "../env";
import { callOf } from "../gateway/call";
import { Caller } from "../gateway/caller";
import { needsCreateKey } from "../gateway/creators";
import { Gateway } from "../gateway/gateway";
import { Links, type LinkAnswer } from "../gateway/links";
import type { Presented } from "../gateway/presented";
import { answerFile } from "../gateway/download";
import { publicUrlOf } from "../gateway/public-url";
import { Uploads } from "../gateway/uploads";
import { rateLimitHeaders } from "../protocol/rate-limit-headers";
import { fileProblem, removeFile, sendFile } from "./files";
import { act, type Acted } from "./actions";
import { typedByHand, type Typed } from "./form-data";
import { credentialIn, drawNonce, isOwnForm, nonceIn, setCredential, setNonce } from "./guard";
import { Landing, Refused } from "./landing";
import { answerPage } from "./layout";
import { streamNews } from "./live";
import { Front } from "./front";
import { Page, Passed, type PageState } from "./page";
import { PAGE_SCRIPT } from "./script";
import { ICON, PAGE_STYLE } from "./style";
import { TRY_SCRIPT } from "./try-script";
import { refusalOf, visit, type Visit } from "./visit";
import { PROBLEMS, type REFUSALS } from "./words";

type PageContext = Context<{ Bindings: Env }>;

/** One who came by a link and has opened it. */
interface Guest {
  readonly gateway: Gateway;
  readonly presented: Presented;
  readonly visit: Visit;
}

const STATUS_OF_LINK = {
  waiting: 200,
  unknown: 404,
  revoked: 410,
  expired: 410,
  ended: 410,
  used: 410,
  kept: 409,
  gone: 410,
  slowed: 429,
  superseded: 409,
  forged: 403,
} as const;

export function createPages(): Hono<{ Bindings: Env }> {
  const app = new Hono<{ Bindings: Env }>();
  app.get("/assets/page.css", () => asset(PAGE_STYLE, "text/css"));
  app.get("/assets/page.js", () => asset(PAGE_SCRIPT, "text/javascript"));
  app.get("/assets/icon.svg", () => asset(ICON, "image/svg+xml"));
  app.get("/assets/try.js", () => asset(TRY_SCRIPT, "text/javascript"));
  app.get("/", ({ env }) =>
    answerPage(<Front publicUrl={publicUrlOf(env)} needsKey={needsCreateKey(env)} />),
  );
  app.get("/h/:code", withCode(showLink));
  app.post("/h/:code", withCode(openLink));
  app.get("/h/:code/qr.svg", withCode(showQr));
  app.get("/h/:code/live", withCode(followLive));
  app.post("/h/:code/act", withCode(takeAction));
  app.post("/h/:code/files", withCode(takeFile));
  app.get("/h/:code/files/:upload", withCode(giveFile));
  app.notFound(() => refuse("unknown"));
  app.onError(function hideInside(error, context) {
    // The path holds a code, so the log names neither it nor the link.
    const { requestId, sessionId } = callOf(context.req.raw) ?? {};
    const { method } = context.req;
    const line = { message: "unhandled", requestId, sessionId, method, ...describeBug(error) };
    if (context.env.LOG !== "off") console.error(JSON.stringify(line));
    return new Response(PROBLEMS.busy, { status: 500 });
  });
  return app;
}

/** The front page only where it is looked at; links and files of pages whatever is asked. */
export const isPage = (method: string, path: string): boolean =>
  (path === "/" && (method === "GET" || method === "HEAD")) ||
  path.startsWith("/h/") ||
  path.startsWith("/assets/");

const asset = (text: string, type: string): Response =>
  new Response(text, {
    headers: {
      "Content-Type": `${type}; charset=utf-8`,
      "Cache-Control": "public, max-age=300",
      "X-Content-Type-Options": "nosniff",
    },
  });

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

export async function refuse(
  why: keyof typeof REFUSALS,
  href?: string,
  headers = {},
): Promise<Response> {
  const page = <Refused why={why} {...(href === undefined ? {} : { href })} />;
  return answerPage(page, STATUS_OF_LINK[why], headers);
}

const callerOf = ({ req, env }: PageContext): Caller =>
  new Caller(req.raw.headers, env, callOf(req.raw));
const linksOf = (context: PageContext): Links => new Links(context.env, callerOf(context));
const uploadsOf = (context: PageContext): Uploads => new Uploads(context.env, callerOf(context));

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
  if (answer.state !== "waiting") return refuseLink(answer);
  const nonce = drawNonce();
  return answerPage(<Landing code={code} nonce={nonce} />, 200, {
    "Set-Cookie": setNonce(code, nonce),
  });
}

function refuseLink(answer: LinkAnswer): Promise<Response> {
  if (answer.state === "slowed") return slow(answer.failure);
  return refuse(answer.state as Exclude<LinkAnswer["state"], "waiting" | "opened">);
}

function slow(failure: Extract<Failure, { code: "rate_limited" }>): Promise<Response> {
  const headers = { "Retry-After": String(Math.ceil(failure.retryAfterMs / 1000)) };
  return refuse("slowed", undefined, { ...headers, ...rateLimitHeaders(failure) });
}

/** The click. The form's nonce and its cookie must be the same, and the form our own. */
async function openLink(context: PageContext, code: LinkCode): Promise<Response> {
  const { raw } = context.req;
  const typed = isOwnForm(raw) ? (await readForm(raw))?.typed : undefined;
  const nonce = typed?.get("nonce");
  if (
    typed === undefined ||
    nonce === undefined ||
    nonce === "" ||
    nonce !== nonceIn(raw.headers)
  ) {
    return refuse("forged", `/h/${code}`);
  }
  const name = typed.get("name")?.trim();
  const answer = await linksOf(context).open(code, name === "" ? undefined : name);
  if (answer.state !== "opened" || !("cookie" in answer)) return refuseLink(answer);
  return seeOther(
    code,
    "opened",
    setCredential(code, answer.cookie, answer.expiresAt - Date.now()),
  );
}

function seeOther(code: LinkCode, done: string, cookie?: string): Response {
  const headers = new Headers({ Location: `/h/${code}?done=${done}`, "Cache-Control": "no-store" });
  if (cookie !== undefined) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** Null without a cookie; a page that explains where the cookie no longer counts. */
export async function guestOf(
  context: PageContext,
  code: LinkCode,
): Promise<Guest | Response | null> {
  const cookie = credentialIn(context.req.raw.headers);
  if (cookie === null) return null;
  const call = callOf(context.req.raw);
  const presented = await linksOf(context).present(code, cookie);
  if (presented === null) return null;
  if (call !== null) call.sessionId = presented.sessionId;
  const gateway = new Gateway(context.env, callerOf(context));
  const reply = await visit(gateway, presented, code);
  if (reply.ok) return { gateway, presented, visit: reply.value };
  if (reply.failure.code === "rate_limited") return slow(reply.failure);
  const why = refusalOf(reply.failure);
  if (why === null) return new Response(PROBLEMS.busy, { status: 503 });
  return refuse(why, why === "superseded" ? `/h/${code}?again` : undefined);
}

async function takeAction(context: PageContext, code: LinkCode): Promise<Response> {
  const { raw } = context.req;
  if (!isOwnForm(raw)) return refuse("forged", `/h/${code}`);
  const guest = await guestOf(context, code);
  if (guest === null) return refuse("forged", `/h/${code}`);
  if (guest instanceof Response) return guest;
  const form = await readForm(raw);
  if (form === null) return redraw(guest, { problem: PROBLEMS.tooLarge }, 413);
  const action = form.typed.get("action") ?? "";
  const errors = await filesIn(context, guest, form, action);
  const now = await afterFiles(guest, form, code, action);
  if (errors.size > 0) {
    const typed = typedByHand(now.visit.specs, form.typed);
    return redraw(now, { problem: PROBLEMS.file, view: { typed, errors } }, 422);
  }
  if (action.startsWith("remove/")) return seeOther(code, "removed");
  const acted = await act({ ...now, typed: now.typed }, action);
  return answerActed(context, code, now, now.typed, acted);
}

/** Files that came with the form, and one to be removed; what went wrong, by field. */
async function filesIn(
  context: PageContext,
  guest: Guest,
  { files }: Form,
  action: string,
): Promise<ReadonlyMap<string, string>> {
  const errors = new Map<string, string>();
  const hand = { ...guest, uploads: uploadsOf(context) };
  for (const [field, file] of files) {
    const { name, type, size } = file;
    const failure = await sendFile(hand, { field, name, type, size, body: file.stream() });
    if (failure !== null) errors.set(field, fileProblem(failure));
  }
  if (action.startsWith("remove/")) {
    const failure = await removeFile(hand, numberOf(action.slice(7), "upl_") ?? 0);
    if (failure !== null) errors.set("", fileProblem(failure));
  }
  return errors;
}

/** The person's own files moved the version: that is no surprise to them. */
async function afterFiles(
  guest: Guest,
  { typed, files }: Form,
  code: LinkCode,
  action: string,
): Promise<Guest & { readonly typed: Typed }> {
  if (files.size === 0 && !action.startsWith("remove/")) return { ...guest, typed };
  const now = await visit(guest.gateway, guest.presented, code);
  if (!now.ok) return { ...guest, typed };
  const isSeen = typed.get("version") === String(guest.visit.session.version);
  const version = isSeen ? String(now.value.session.version) : (typed.get("version") ?? "");
  return { ...guest, visit: now.value, typed: new Map([...typed, ["version", version]]) };
}

/** One file as the whole body, from the page's script: streamed, so it may be large. */
async function takeFile(context: PageContext, code: LinkCode): Promise<Response> {
  const { raw } = context.req;
  const guest = isOwnForm(raw) ? await guestOf(context, code) : null;
  if (guest === null) return refuse("forged", `/h/${code}`);
  if (guest instanceof Response) return guest;
  const length = raw.headers.get("Content-Length");
  if (length === null) return redraw(guest, { problem: PROBLEMS.file }, 411);
  const field = context.req.query("field") ?? "";
  const failure = await sendFile(
    { ...guest, uploads: uploadsOf(context) },
    {
      field,
      name: context.req.query("name") ?? "",
      type: raw.headers.get("Content-Type") ?? "",
      size: Number(length),
      body: raw.body,
    },
  );
  if (failure === null) return seeOther(code, "uploaded");
  const problem = fileProblem(failure);
  return redraw(guest, { problem, view: { errors: new Map([[field, problem]]) } }, 422);
}

async function giveFile(context: PageContext, code: LinkCode): Promise<Response> {
  const guest = await guestOf(context, code);
  if (guest === null) return refuse("unknown");
  if (guest instanceof Response) return guest;
  const number = numberOf(context.req.param("upload") ?? "", "upl_") ?? 0;
  const reply = await uploadsOf(context).get(guest.presented, number);
  return reply.ok ? answerFile(reply.value) : refuse("unknown");
}

async function answerActed(
  context: PageContext,
  code: LinkCode,
  guest: Guest,
  typed: Typed,
  acted: Acted,
): Promise<Response> {
  switch (acted.kind) {
    case "done":
      return seeOther(code, acted.word);
    case "passed": {
      const { id } = guest.visit.session;
      const publicUrl = publicUrlOf(context.env);
      return answerPage(
        <Passed code={code} sessionId={id} publicUrl={publicUrl} token={acted.token} />,
      );
    }
    case "refused": {
      const why = refusalOf(acted.failure);
      return why === null ? redraw(guest, { problem: PROBLEMS.busy }, 503) : refuse(why);
    }
    case "again": {
      const { errors, conflicts, problem, status } = acted;
      // Drawn from the session as it is now, with what was typed on top.
      const now = await visit(guest.gateway, guest.presented, code);
      const drawn = now.ok ? { ...guest, visit: now.value } : guest;
      const kept = typedByHand(guest.visit.specs, typed);
      return redraw(drawn, { problem, view: { typed: kept, errors, conflicts } }, status);
    }
  }
}

const redraw = (guest: Guest, state: Omit<PageState, "key">, status: number): Promise<Response> =>
  answerPage(<Page visit={guest.visit} state={{ key: drawNonce(), ...state }} />, status);

interface Form {
  readonly typed: Typed;
  /** By field. */
  readonly files: ReadonlyMap<string, File>;
}

/** A form, or null where it is larger than one may be. */
async function readForm(request: Request): Promise<Form | null> {
  const length = Number(request.headers.get("Content-Length") ?? Number.NaN);
  if (!(length <= LIMITS.formBytes)) return null;
  try {
    const typed = new Map<string, string>();
    const files = new Map<string, File>();
    for (const [name, value] of await request.formData()) {
      if (typeof value === "string") typed.set(name, value);
      // A file input that was left alone comes as a file without a name.
      else if (value.size > 0) files.set(name.replace(/^file\//, ""), value);
    }
    return { typed, files };
  } catch {
    return { typed: new Map(), files: new Map() };
  }
}

async function followLive(context: PageContext, code: LinkCode): Promise<Response> {
  const cookie = credentialIn(context.req.raw.headers);
  const presented = cookie === null ? null : await linksOf(context).present(code, cookie);
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
    ? new Response(null, { status: 503 })
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
