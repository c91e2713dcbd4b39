/** The console's routes and their handlers: sign-in, the list, one session and its actions. */
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

/* Sign-in */

async function showEntry(context: PageContext): Promise<Response> {
  const { req, env } = context;
  const code = req.param("code") ?? "";
  const holder = await consoleSignInOf(context).checkCode(code);
  if (!holder.ok) return refuseEntry(context, holder.error);
  const nonce = createNonce();
  const owner = holder.value.owner.name;
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
  const signInCookie = await consoleSignInOf(context).redeem(req.param("code") ?? "");
  if (!signInCookie.ok) return refuseEntry(context, signInCookie.error);
  const { cookie, endsAt } = signInCookie.value;
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
  const signInCookie = await consoleSignInOf(context).signIn(typed.get("key")?.trim() ?? "");
  if (signInCookie.ok) {
    const { cookie, endsAt } = signInCookie.value;
    return redirect(safeReturnPath(typed.get("to") ?? ""), consoleCookie(env, cookie, endsAt));
  }
  const { signIn: words } = consoleReader(req.raw).console;
  const { error } = signInCookie;
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

/** Only a path of the console, so that a form cannot redirect to another site. */
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
  const params = parseListParams(new URL(context.req.url).searchParams);
  const now = Date.now();
  const refused = rightProblem(login.holder, "read");
  if (refused !== null) return answerFailure(reader, refused);
  const [page, overview] = await Promise.all([
    params.query === null
      ? null
      : firstNonEmptyPage(params.query, (query) => owners.list(login.holder, query)),
    owners.overview(login.holder, timesOf(params.span, now), MAX_DOTS),
  ]);
  if (page?.ok === false) return answerFailure(reader, page.failure, "/console");
  if (!overview.ok) return answerFailure(reader, overview.failure, "/console");
  return answerPage(
    <List
      reader={reader}
      login={login}
      params={params}
      page={page?.value ?? null}
      overview={overview.value}
      now={now}
    />,
    params.problem === null ? 200 : 400,
  );
}

/** Sends only that something changed. The page then fetches itself from the server. */
async function followList({ context, login, owners }: ConsoleContext): Promise<Response> {
  const { holder, endsAt } = login;
  const { raw } = context.req;
  // 204 stops an EventSource from reconnecting.
  if (!isSameOriginRequest(raw, context.env) || rightProblem(holder, "read") !== null) {
    return new Response(null, { status: 204 });
  }
  const signal = await owners.changeSignal(holder);
  if (!signal.ok) return new Response(null, { status: 503 });
  raw.signal.addEventListener("abort", () => signal.value.close());
  const head = await owners.changes(holder, Number.MAX_SAFE_INTEGER, 1);
  const stream = streamChanges(
    owners,
    holder,
    signal.value,
    head.ok ? head.value.head : 0,
    (_, cursor) => `id: ${cursor}\nevent: news\ndata: ${cursor}\n\n`,
    endsAt,
  );
  return new Response(stream, { headers: STREAM_HEADERS });
}

/* One session */

async function showSession(consoleContext: ConsoleContext): Promise<Response> {
  const { context, login, reader, owners, gateway } = consoleContext;
  const credential = await owners.credentialFromKey(login.holder, context.req.param("id") ?? "");
  if (!credential.ok) return answerFailure(reader, credential.error);
  const before = parseNumber(context.req.query("before"));
  const details = await loadSessionDetails(
    { gateway, owners, holder: login.holder },
    credential.value,
    before,
  );
  if (!details.ok) return answerFailure(reader, details.failure);
  const done: Readonly<Record<string, string>> = reader.console.done;
  return answerPage(
    <Session
      reader={reader}
      login={login}
      details={details.value}
      now={Date.now()}
      notice={done[context.req.query("done") ?? ""]}
    />,
  );
}

async function followSession(consoleContext: ConsoleContext): Promise<Response> {
  const { context, login, owners, gateway } = consoleContext;
  const credential = await owners.credentialFromKey(login.holder, context.req.param("id") ?? "");
  if (!credential.ok || !isSameOriginRequest(context.req.raw, context.env))
    return new Response(null, { status: 204 });
  const updates = await followUpdates(context, gateway, credential.value);
  return updates instanceof Response ? updates : new Response(null, { status: 204 });
}

/** Includes everything that the key may read, so that the export can be verified by itself. */
async function exportSession({
  context,
  login,
  reader,
  owners,
}: ConsoleContext): Promise<Response> {
  const credential = await owners.credentialFromKey(login.holder, context.req.param("id") ?? "");
  if (!credential.ok) return answerFailure(reader, credential.error);
  const reply = await new Evidence(context.env, callerOf(context)).export(credential.value, true);
  return reply.ok
    ? answerExport(credential.value.sessionId, reply.value)
    : answerFailure(reader, reply.failure);
}

async function confirmAction(consoleContext: ConsoleContext): Promise<Response> {
  const { context, login, reader, owners, gateway } = consoleContext;
  const name = actionIn(context);
  if (name === null) return answerFailure(reader, { code: "not_found", what: "page" });
  const credential = await owners.credentialFromKey(login.holder, context.req.param("id") ?? "");
  if (!credential.ok) return answerFailure(reader, credential.error);
  const session = await gateway.get(credential.value);
  if (!session.ok) return answerFailure(reader, session.failure);
  const typed = new Map([["participant", context.req.query("participant") ?? ""]]);
  return answerPage(
    <ActionPage {...{ name, session: session.value.view, login, reader, typed }} />,
  );
}

function actionIn(context: PageContext): ActionName | null {
  const name = context.req.param("action") ?? "";
  return isAction(name) ? name : null;
}

async function handleAction(consoleContext: ConsoleContext): Promise<Response> {
  const { context, login, reader, owners, gateway } = consoleContext;
  const { req, env } = context;
  const typed = await readConsoleForm(req.raw, env, login);
  if (typed === null) return refuseForm(context);
  const name = actionIn(context);
  if (name === null) return answerFailure(reader, { code: "not_found", what: "page" });
  const { holder } = login;
  const credential = await owners.credentialFromKey(holder, req.param("id") ?? "");
  if (!credential.ok) return answerFailure(reader, credential.error);
  const words = reader.console;
  const actionContext = { gateway, owners, holder, credential: credential.value, typed, words };
  const result = await runAction(actionContext, name);
  const sessionPath = `/console/sessions/${credential.value.sessionId}`;
  switch (result.kind) {
    case "done":
      return redirect(`${sessionPath}?done=${name}`);
    case "opened": {
      const { session, token } = result;
      const endsAt = session.participants.at(-1)?.expiresAt ?? null;
      const props = { reader, login, session, token, endsAt, publicUrl: publicUrlOf(env) };
      return answerPage(<OpenedPage {...props} />);
    }
    case "removed":
      return answerPage(<RemovedPage {...{ reader, login, certificate: result.certificate }} />);
    case "refused":
      return answerFailure(reader, result.failure, sessionPath);
    case "wrong": {
      const session = await gateway.get(credential.value);
      if (!session.ok) return answerFailure(reader, session.failure);
      const props = { name, session: session.value.view, login, reader, typed };
      return answerPage(<ActionPage {...props} problem={result.problem} />, 422);
    }
  }
}
