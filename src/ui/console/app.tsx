/** The console's routes bound to their handlers: how one comes in, the list, one session, what is done to it. */
import { retryAfter } from "../../protocol/rate-limit-headers";
import type { Failure } from "../../domain/failure";
import { streamChanges } from "../../gateway/change-stream";
import { rightProblem } from "../../gateway/owner-keys";
import { answerExport } from "../../gateway/download";
import { Evidence } from "../../gateway/evidence";
import { publicUrlOf } from "../../gateway/public-url";
import { STREAM_HEADERS } from "../../gateway/step-stream";
import type { ConsoleRouteId } from "../../protocol/routes";
import { createNonce, isSameOriginRequest } from "../cookies";
import { callerOf, type PageContext } from "../link-holder";
import { answerPage } from "../layout";
import { followUpdates, parseNumber } from "../live";
import { readNonceForm, readConsoleForm } from "../posted-form";
import { runAction } from "./run-action";
import { ActionPage, OpenedPage, RemovedPage } from "./action-page";
import { isAction, type ActionName } from "./action-table";
import { MAX_DOTS } from "./ages-chart";
import { EntryLinkPage, MessagePage } from "./sign-in-pages";
import {
  readConsoleNonce,
  expiredConsoleCookie,
  consoleCookie,
  consoleNonceCookie,
} from "./console-cookies";
import { firstNonEmptyPage } from "./first-non-empty-page";
import { List } from "./list";
import { loadSessionDetails } from "./session-details";
import { parseListParams } from "./list-params";
import { consoleReader } from "./reader";
import { Session } from "./session";
import { timesOf } from "./states-chart";
import {
  answerFailure,
  showSignIn,
  consoleSignInOf,
  requireSignIn,
  type ConsoleContext,
} from "./console-context";

export const consoleHandlers: Readonly<
  Record<ConsoleRouteId, (context: PageContext) => Promise<Response>>
> = {
  showEntry,
  redeemEntry,
  signIn,
  signOut: requireSignIn(signOut),
  consoleList: requireSignIn(showList),
  consoleLive: requireSignIn(followList),
  consoleSession: requireSignIn(showSession),
  consoleSessionLive: requireSignIn(followSession),
  consoleExport: requireSignIn(exportSession),
  askAction: requireSignIn(confirmAction),
  takeConsoleAction: requireSignIn(handleAction),
};

function redirect(to: string, cookie?: string): Response {
  const headers = new Headers({ Location: to, "Cache-Control": "no-store" });
  if (cookie !== undefined) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

const readUnsignedForm = ({ req: { raw }, env }: PageContext) =>
  readNonceForm(raw, env, readConsoleNonce(raw.headers, env));

/* Coming in */

async function showEntry(context: PageContext): Promise<Response> {
  const { req, env } = context;
  const code = req.param("code") ?? "";
  const looked = await consoleSignInOf(context).checkCode(code);
  if (!looked.ok) return refuseEntry(context, looked.error);
  const nonce = createNonce();
  const owner = looked.value.owner.name;
  const page = (
    <EntryLinkPage reader={consoleReader(req.raw)} nonce={nonce} code={code} owner={owner} />
  );
  const answer = await answerPage(page);
  answer.headers.append("Set-Cookie", consoleNonceCookie(env, nonce));
  return answer;
}

async function redeemEntry(context: PageContext): Promise<Response> {
  const { req, env } = context;
  if ((await readUnsignedForm(context)) === null) return refuseForm(context);
  const ticket = await consoleSignInOf(context).redeem(req.param("code") ?? "");
  if (!ticket.ok) return refuseEntry(context, ticket.error);
  const { cookie, endsAt } = ticket.value;
  return redirect("/console", consoleCookie(env, cookie, endsAt));
}

async function refuseEntry(
  { req }: PageContext,
  why: "unknown" | "used" | "over" | Failure,
): Promise<Response> {
  const reader = consoleReader(req.raw);
  if (typeof why !== "string") return answerFailure(reader, why);
  const { enter, signIn: words } = reader.console;
  const status = why === "unknown" ? 404 : 410;
  const texts = [enter[why], enter.instead];
  return answerPage(
    <MessagePage reader={reader} title={enter.title} texts={texts} link={words.title} />,
    status,
  );
}

async function signIn(context: PageContext): Promise<Response> {
  const { req, env } = context;
  const typed = await readUnsignedForm(context);
  if (typed === null) return refuseForm(context);
  const ticket = await consoleSignInOf(context).signIn(typed.get("key")?.trim() ?? "");
  if (ticket.ok) {
    const { cookie, endsAt } = ticket.value;
    return redirect(safeReturnPath(typed.get("to") ?? ""), consoleCookie(env, cookie, endsAt));
  }
  const { signIn: words } = consoleReader(req.raw).console;
  const { error } = ticket;
  if (error.code === "rate_limited") {
    const headers = retryAfter(error.retryAfterMs);
    return showSignIn(context, { problem: words.slowed, status: 429, headers });
  }
  if (error.code === "not_configured") return answerFailure(consoleReader(req.raw), error);
  return showSignIn(context, { problem: words.wrong, status: 403 });
}

const refuseForm = (context: PageContext): Promise<Response> =>
  showSignIn(context, {
    problem: consoleReader(context.req.raw).console.signIn.forged,
    status: 403,
  });

/** Only back into the console: nobody is sent elsewhere by what a form says. */
const safeReturnPath = (to: string): string =>
  /^\/console(?:[/?][!-~]*)?$/.test(to) ? to : "/console";

async function signOut({ context, login, reader }: ConsoleContext): Promise<Response> {
  const { req, env } = context;
  if ((await readConsoleForm(req.raw, env, login)) === null) return refuseForm(context);
  const answer = await showSignIn(context, { notice: reader.console.signIn.out, status: 200 });
  answer.headers.append("Set-Cookie", expiredConsoleCookie(env));
  return answer;
}

/* The list */

async function showList({ context, login, reader, owners }: ConsoleContext): Promise<Response> {
  const looking = parseListParams(new URL(context.req.url).searchParams);
  const now = Date.now();
  const refused = rightProblem(login.holder, "read");
  if (refused !== null) return answerFailure(reader, refused);
  const [page, overview] = await Promise.all([
    looking.query === null
      ? null
      : firstNonEmptyPage(looking.query, (query) => owners.list(login.holder, query)),
    owners.overview(login.holder, timesOf(looking.span, now), MAX_DOTS),
  ]);
  if (page?.ok === false) return answerFailure(reader, page.failure, "/console");
  if (!overview.ok) return answerFailure(reader, overview.failure, "/console");
  return answerPage(
    <List
      reader={reader}
      login={login}
      params={looking}
      page={page?.value ?? null}
      overview={overview.value}
      now={now}
    />,
    looking.problem === null ? 200 : 400,
  );
}

/** Only that there is news: the page asks for itself, drawn by the server. */
async function followList({ context, login, owners }: ConsoleContext): Promise<Response> {
  const { holder, endsAt } = login;
  const { raw } = context.req;
  // 204 tells an EventSource not to come back.
  if (!isSameOriginRequest(raw, context.env) || rightProblem(holder, "read") !== null) {
    return new Response(null, { status: 204 });
  }
  const bell = await owners.changeSignal(holder);
  if (!bell.ok) return new Response(null, { status: 503 });
  raw.signal.addEventListener("abort", () => bell.value.close());
  const head = await owners.changes(holder, Number.MAX_SAFE_INTEGER, 1);
  const stream = streamChanges(
    owners,
    holder,
    bell.value,
    head.ok ? head.value.head : 0,
    (_, cursor) => `id: ${cursor}\nevent: news\ndata: ${cursor}\n\n`,
    endsAt,
  );
  return new Response(stream, { headers: STREAM_HEADERS });
}

/* One session */

async function showSession(visitor: ConsoleContext): Promise<Response> {
  const { context, login, reader, owners, gateway } = visitor;
  const presented = await owners.credentialFromKey(login.holder, context.req.param("id") ?? "");
  if (!presented.ok) return answerFailure(reader, presented.error);
  const before = parseNumber(context.req.query("before"));
  const look = await loadSessionDetails(
    { gateway, owners, holder: login.holder },
    presented.value,
    before,
  );
  if (!look.ok) return answerFailure(reader, look.failure);
  const done: Readonly<Record<string, string>> = reader.console.done;
  return answerPage(
    <Session
      reader={reader}
      login={login}
      details={look.value}
      now={Date.now()}
      notice={done[context.req.query("done") ?? ""]}
    />,
  );
}

async function followSession(visitor: ConsoleContext): Promise<Response> {
  const { context, login, owners, gateway } = visitor;
  const presented = await owners.credentialFromKey(login.holder, context.req.param("id") ?? "");
  if (!presented.ok || !isSameOriginRequest(context.req.raw, context.env))
    return new Response(null, { status: 204 });
  const news = await followUpdates(context, gateway, presented.value);
  return news instanceof Response ? news : new Response(null, { status: 204 });
}

/** With everything that the key may read, so that what is kept can be verified by itself. */
async function exportSession({
  context,
  login,
  reader,
  owners,
}: ConsoleContext): Promise<Response> {
  const presented = await owners.credentialFromKey(login.holder, context.req.param("id") ?? "");
  if (!presented.ok) return answerFailure(reader, presented.error);
  const reply = await new Evidence(context.env, callerOf(context)).export(presented.value, true);
  return reply.ok
    ? answerExport(presented.value.sessionId, reply.value)
    : answerFailure(reader, reply.failure);
}

async function confirmAction(visitor: ConsoleContext): Promise<Response> {
  const { context, login, reader, owners, gateway } = visitor;
  const name = actionIn(context);
  if (name === null) return answerFailure(reader, { code: "not_found", what: "page" });
  const presented = await owners.credentialFromKey(login.holder, context.req.param("id") ?? "");
  if (!presented.ok) return answerFailure(reader, presented.error);
  const got = await gateway.get(presented.value);
  if (!got.ok) return answerFailure(reader, got.failure);
  const typed = new Map([["participant", context.req.query("participant") ?? ""]]);
  return answerPage(<ActionPage {...{ name, session: got.value.view, login, reader, typed }} />);
}

function actionIn(context: PageContext): ActionName | null {
  const name = context.req.param("action") ?? "";
  return isAction(name) ? name : null;
}

async function handleAction(visitor: ConsoleContext): Promise<Response> {
  const { context, login, reader, owners, gateway } = visitor;
  const { req, env } = context;
  const typed = await readConsoleForm(req.raw, env, login);
  if (typed === null) return refuseForm(context);
  const name = actionIn(context);
  if (name === null) return answerFailure(reader, { code: "not_found", what: "page" });
  const { holder } = login;
  const presented = await owners.credentialFromKey(holder, req.param("id") ?? "");
  if (!presented.ok) return answerFailure(reader, presented.error);
  const words = reader.console;
  const hand = { gateway, owners, holder, credential: presented.value, typed, words };
  const acted = await runAction(hand, name);
  const here = `/console/sessions/${presented.value.sessionId}`;
  switch (acted.kind) {
    case "done":
      return redirect(`${here}?done=${name}`);
    case "opened": {
      const { session, token } = acted;
      const endsAt = session.participants.at(-1)?.expiresAt ?? null;
      const props = { reader, login, session, token, endsAt, publicUrl: publicUrlOf(env) };
      return answerPage(<OpenedPage {...props} />);
    }
    case "removed":
      return answerPage(<RemovedPage {...{ reader, login, certificate: acted.certificate }} />);
    case "refused":
      return answerFailure(reader, acted.failure, here);
    case "wrong": {
      const got = await gateway.get(presented.value);
      if (!got.ok) return answerFailure(reader, got.failure);
      const props = { name, session: got.value.view, login, reader, typed };
      return answerPage(<ActionPage {...props} problem={acted.problem} />, 422);
    }
  }
}
