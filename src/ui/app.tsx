/** The pages for people: the link, its page and their assets. Cookies are valid only under the link's path. */
import { renderSVG } from "uqr";
import { parseCode, type LinkCode } from "../domain/links/link-code";
import { isOpenToAll } from "../gateway/owner-keys";
import { endReasonOfFailure } from "../gateway/failure-end-reason";
import { Gateway } from "../gateway/gateway";
import { publicUrlOf } from "../gateway/public-url";
import type { PageRouteId } from "../protocol/routes";
import {
  readCredentialCookie,
  createNonce,
  languageCookie,
  readNonceCookie,
  credentialCookie,
  nonceCookie,
} from "./cookies";
import { Landing, OfflinePage, RefusalPage, EnterCode } from "./landing";
import { answerPage } from "./layout";
import { followUpdates } from "./live";
import { answerAsset } from "./assets";
import { Front } from "./front";
import { Page } from "./page";
import { hasReceipt, showReceipt } from "./receipt";
import {
  busyResponse,
  callerOf,
  loadLinkHolder,
  linksOf,
  readerFor,
  refusePage,
  refuseLink,
} from "./link-holder";
import type { PageContext } from "./link-holder";
import { readerOf } from "./words/index";
import { handleDownload, redirectAfterPost, handleAction, handleUpload } from "./form-handlers";
import { readNonceForm } from "./posted-form";

/** Each route of the pages with its handler. */
export const pageHandlers: Readonly<Record<PageRouteId, PageHandler>> = {
  front: ({ env }) =>
    answerPage(<Front publicUrl={publicUrlOf(env)} needsKey={!isOpenToAll(env)} />),
  asset: ({ req }) => answerAsset(req.path) ?? refusePage({ req }, "unknown"),
  typeCode,
  offline: (context) => answerPage(<OfflinePage reader={readerFor(context)} />),
  showLink: withCode(showLink),
  openLink: withCode(openLink),
  showQr: withCode(showQr),
  showReceipt: withCode(showReceipt),
  followLive: withCode(followLive),
  takeAction: withCode(handleAction),
  takeFile: withCode(handleUpload),
  giveFile: withCode(handleDownload),
};

/** The responses for an unknown path, a wrong method and a bug. */
export const pageFallbacks = {
  absent: (allow: readonly string[]): Response | Promise<Response> =>
    answerPage(
      <RefusalPage why="unknown" reader={readerOf("en")} />,
      allow.length === 0 ? 404 : 405,
      allow.length === 0 ? {} : { Allow: allow.join(", ") },
    ),
  failed: (): Response => new Response(readerOf("en").words.problems.busy, { status: 500 }),
};

type PageHandler = (context: PageContext) => Promise<Response> | Response;
type CodeHandler = (context: PageContext, code: LinkCode) => Promise<Response> | Response;

/** Rejects a mistyped code before any object is called. Another spelling redirects to the cookie's path. */
function withCode(handler: CodeHandler): PageHandler {
  return (context) => {
    const input = context.req.param("code") ?? "";
    const code = parseCode(input);
    if (code === null) return refusePage(context, "unknown");
    if (input !== code && context.req.method === "GET") {
      const { pathname, search } = new URL(context.req.url);
      const rest = pathname.split("/").slice(3);
      return context.redirect(`${["/h", code, ...rest].join("/")}${search}`, 302);
    }
    return handler(context, code);
  };
}

/** Reads only. Without the link's cookie it shows the landing page, or why the link cannot be opened. */
async function showLink(context: PageContext, code: LinkCode): Promise<Response> {
  const isReopening = context.req.query("again") !== undefined;
  const holder = isReopening ? null : await loadLinkHolder(context, code);
  if (holder instanceof Response) return holder;
  if (holder !== null) {
    const doneKey = context.req.query("done");
    const state = {
      key: createNonce(),
      done: doneKey,
      hasReceipt: hasReceipt(context.env, holder.view),
    };
    const page = <Page view={holder.view} state={state} reader={holder.reader} />;
    return answerPage(page, 200, languageHeaders(context));
  }
  const answer = await linksOf(context).preview(code);
  if (!answer.ok) return busyResponse(answer.failure);
  if (answer.value.state !== "waiting") return refuseLink(context, answer.value);
  const nonce = createNonce();
  const preview = answer.value;
  const title = "title" in preview ? preview.title : undefined;
  const expiresAt = "expiresAt" in preview ? preview.expiresAt : undefined;
  const page = (
    <Landing
      code={code}
      nonce={nonce}
      reader={readerFor(context)}
      publicName={context.env.PUBLIC_NAME?.trim() || null}
      host={new URL(publicUrlOf(context.env)).host}
      title={title ?? null}
      expiresAt={expiresAt ?? null}
    />
  );
  const response = await answerPage(page, 200, languageHeaders(context));
  response.headers.append("Set-Cookie", nonceCookie(context.env, code, nonce));
  return response;
}

function languageHeaders({ req }: PageContext): Record<string, string> {
  const cookie = languageCookie(req.query("lang"), { path: "/h", sameSite: "Lax" });
  return cookie === null ? {} : { "Set-Cookie": cookie };
}

/** The form for a code that came on paper. A valid code redirects to its link. */
function typeCode(context: PageContext): Promise<Response> | Response {
  // The whole link is accepted too. An empty field is not a wrong code.
  const input = context.req.query("code")?.trim() || undefined;
  const typed = /\/h\/([^/?#]+)/.exec(input ?? "")?.[1] ?? input;
  const code = typed === undefined ? null : parseCode(typed);
  if (code !== null) return context.redirect(`/h/${code}`, 302);
  const page = <EnterCode reader={readerFor(context)} typed={typed ?? null} />;
  return answerPage(page, typed === undefined ? 200 : 404, languageHeaders(context));
}

/** Opens the link. The form's nonce must equal its cookie, and the form must come from our own page. */
async function openLink(context: PageContext, code: LinkCode): Promise<Response> {
  const { raw } = context.req;
  const typed = await readNonceForm(raw, context.env, readNonceCookie(raw.headers, context.env));
  if (typed === null) return refusePage(context, "forged", `/h/${code}`);
  if (typed.get("action") === "notMe") {
    const declined = await linksOf(context).decline(code, undefined);
    if (!declined.ok) return busyResponse(declined.failure);
    if (declined.value.state === "declined") return refusePage(context, "notMe");
    return refuseLink(context, declined.value);
  }
  const name = typed.get("name")?.trim();
  const reply = await linksOf(context).open(code, name === "" ? undefined : name);
  if (!reply.ok) return busyResponse(reply.failure);
  const answer = reply.value;
  if (answer.state !== "opened" || !("cookie" in answer)) return refuseLink(context, answer);
  const cookie = credentialCookie(context.env, code, answer.cookie, answer.expiresAt - Date.now());
  return redirectAfterPost(code, "opened", { cookie });
}

async function followLive(context: PageContext, code: LinkCode): Promise<Response> {
  const cookie = readCredentialCookie(context.req.raw.headers, context.env);
  const credential = cookie === null ? null : linksOf(context).readCookie(code, cookie);
  if (credential === null) return followWithoutCookie(context, code);
  const updates = await followUpdates(
    context,
    new Gateway(context.env, callerOf(context)),
    credential,
  );
  if (updates instanceof Response) return updates;
  const why = endReasonOfFailure(updates);
  return why === null ? busyResponse(updates) : endStream(why);
}

const endStream = (why: string): Response =>
  new Response(`event: over\ndata: ${why}\n\n`, {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" },
  });

/** The cookie expires with the link, so an open page gets the reason. 204 stops it from reconnecting. */
async function followWithoutCookie(context: PageContext, code: LinkCode): Promise<Response> {
  const answer = await linksOf(context).preview(code);
  const state = answer.ok ? answer.value.state : "unknown";
  return state === "expired" || state === "revoked" || state === "gone"
    ? endStream(state)
    : new Response(null, { status: 204 });
}

/** The link as a QR code. Anyone who can request it has the code already. */
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
