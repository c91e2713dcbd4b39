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
import { drawNonce, isOwnForm } from "../guard";
import { callerOf, type PageContext } from "../guest";
import { answerPage } from "../layout";
import { followNews, numberIn } from "../live";
import { readFirstForm, readSignedForm } from "../posted-form";
import { act } from "./act";
import { ActionPage, Opened, Removed } from "./action-page";
import { isAction, type ActionName } from "./action-table";
import { DOTS } from "./ages-picture";
import { Enter, Message } from "./entrance";
import { consoleNonceIn, dropConsoleCookie, setConsoleCookie, setConsoleNonce } from "./guard";
import { firstFound } from "./first-found";
import { List } from "./list";
import { lookAt } from "./look";
import { lookingIn } from "./query";
import { consoleReader } from "./reader";
import { Session } from "./session";
import { timesOf } from "./states-picture";
import { answerFailure, askToSignIn, doorOf, forVisitors, type Visitor } from "./visitor";

export const consoleHandlers: Readonly<
  Record<ConsoleRouteId, (context: PageContext) => Promise<Response>>
> = {
  showEntry,
  redeemEntry,
  signIn,
  signOut: forVisitors(signOut),
  consoleList: forVisitors(showList),
  consoleLive: forVisitors(followList),
  consoleSession: forVisitors(showSession),
  consoleSessionLive: forVisitors(followSession),
  consoleExport: forVisitors(exportSession),
  askAction: forVisitors(askAction),
  takeConsoleAction: forVisitors(takeAction),
};

function redirect(to: string, cookie?: string): Response {
  const headers = new Headers({ Location: to, "Cache-Control": "no-store" });
  if (cookie !== undefined) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

const firstForm = ({ req: { raw }, env }: PageContext) =>
  readFirstForm(raw, env, consoleNonceIn(raw.headers, env));

/* Coming in */

async function showEntry(context: PageContext): Promise<Response> {
  const { req, env } = context;
  const code = req.param("code") ?? "";
  const looked = await doorOf(context).look(code);
  if (!looked.ok) return refuseEntry(context, looked.error);
  const nonce = drawNonce();
  const owner = looked.value.owner.name;
  const page = <Enter reader={consoleReader(req.raw)} nonce={nonce} code={code} owner={owner} />;
  const answer = await answerPage(page);
  answer.headers.append("Set-Cookie", setConsoleNonce(env, nonce));
  return answer;
}

async function redeemEntry(context: PageContext): Promise<Response> {
  const { req, env } = context;
  if ((await firstForm(context)) === null) return refuseForm(context);
  const ticket = await doorOf(context).redeem(req.param("code") ?? "");
  if (!ticket.ok) return refuseEntry(context, ticket.error);
  const { cookie, endsAt } = ticket.value;
  return redirect("/console", setConsoleCookie(env, cookie, endsAt));
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
    <Message reader={reader} title={enter.title} texts={texts} link={words.title} />,
    status,
  );
}

async function signIn(context: PageContext): Promise<Response> {
  const { req, env } = context;
  const typed = await firstForm(context);
  if (typed === null) return refuseForm(context);
  const ticket = await doorOf(context).signIn(typed.get("key")?.trim() ?? "");
  if (ticket.ok) {
    const { cookie, endsAt } = ticket.value;
    return redirect(wayIn(typed.get("to") ?? ""), setConsoleCookie(env, cookie, endsAt));
  }
  const { signIn: words } = consoleReader(req.raw).console;
  const { error } = ticket;
  if (error.code === "rate_limited") {
    const headers = retryAfter(error.retryAfterMs);
    return askToSignIn(context, { problem: words.slowed, status: 429, headers });
  }
  if (error.code === "not_configured") return answerFailure(consoleReader(req.raw), error);
  return askToSignIn(context, { problem: words.wrong, status: 403 });
}

const refuseForm = (context: PageContext): Promise<Response> =>
  askToSignIn(context, {
    problem: consoleReader(context.req.raw).console.signIn.forged,
    status: 403,
  });

/** Only back into the console: nobody is sent elsewhere by what a form says. */
const wayIn = (to: string): string => (/^\/console(?:[/?][!-~]*)?$/.test(to) ? to : "/console");

async function signOut({ context, entered, reader }: Visitor): Promise<Response> {
  const { req, env } = context;
  if ((await readSignedForm(req.raw, env, entered)) === null) return refuseForm(context);
  const answer = await askToSignIn(context, { notice: reader.console.signIn.out, status: 200 });
  answer.headers.append("Set-Cookie", dropConsoleCookie(env));
  return answer;
}

/* The list */

async function showList({ context, entered, reader, owners }: Visitor): Promise<Response> {
  const looking = lookingIn(new URL(context.req.url).searchParams);
  const now = Date.now();
  const refused = rightProblem(entered.holder, "read");
  if (refused !== null) return answerFailure(reader, refused);
  const [page, overview] = await Promise.all([
    looking.query === null
      ? null
      : firstFound(looking.query, (query) => owners.list(entered.holder, query)),
    owners.overview(entered.holder, timesOf(looking.span, now), DOTS),
  ]);
  if (page?.ok === false) return answerFailure(reader, page.failure, "/console");
  if (!overview.ok) return answerFailure(reader, overview.failure, "/console");
  return answerPage(
    <List
      reader={reader}
      entered={entered}
      looking={looking}
      page={page?.value ?? null}
      overview={overview.value}
      now={now}
    />,
    looking.problem === null ? 200 : 400,
  );
}

/** Only that there is news: the page asks for itself, drawn by the server. */
async function followList({ context, entered, owners }: Visitor): Promise<Response> {
  const { holder, endsAt } = entered;
  const { raw } = context.req;
  // 204 tells an EventSource not to come back.
  if (!isOwnForm(raw, context.env) || rightProblem(holder, "read") !== null) {
    return new Response(null, { status: 204 });
  }
  const bell = await owners.bell(holder);
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

async function showSession(visitor: Visitor): Promise<Response> {
  const { context, entered, reader, owners, gateway } = visitor;
  const presented = await owners.presentedBy(entered.holder, context.req.param("id") ?? "");
  if (!presented.ok) return answerFailure(reader, presented.error);
  const before = numberIn(context.req.query("before"));
  const look = await lookAt({ gateway, owners, holder: entered.holder }, presented.value, before);
  if (!look.ok) return answerFailure(reader, look.failure);
  const done: Readonly<Record<string, string>> = reader.console.done;
  return answerPage(
    <Session
      reader={reader}
      entered={entered}
      look={look.value}
      now={Date.now()}
      notice={done[context.req.query("done") ?? ""]}
    />,
  );
}

async function followSession(visitor: Visitor): Promise<Response> {
  const { context, entered, owners, gateway } = visitor;
  const presented = await owners.presentedBy(entered.holder, context.req.param("id") ?? "");
  if (!presented.ok || !isOwnForm(context.req.raw, context.env))
    return new Response(null, { status: 204 });
  const news = await followNews(context, gateway, presented.value);
  return news instanceof Response ? news : new Response(null, { status: 204 });
}

/** With everything that the key may read, so that what is kept can be verified by itself. */
async function exportSession({ context, entered, reader, owners }: Visitor): Promise<Response> {
  const presented = await owners.presentedBy(entered.holder, context.req.param("id") ?? "");
  if (!presented.ok) return answerFailure(reader, presented.error);
  const reply = await new Evidence(context.env, callerOf(context)).export(presented.value, true);
  return reply.ok
    ? answerExport(presented.value.sessionId, reply.value)
    : answerFailure(reader, reply.failure);
}

async function askAction(visitor: Visitor): Promise<Response> {
  const { context, entered, reader, owners, gateway } = visitor;
  const name = actionIn(context);
  if (name === null) return answerFailure(reader, { code: "not_found", what: "page" });
  const presented = await owners.presentedBy(entered.holder, context.req.param("id") ?? "");
  if (!presented.ok) return answerFailure(reader, presented.error);
  const got = await gateway.get(presented.value);
  if (!got.ok) return answerFailure(reader, got.failure);
  const typed = new Map([["participant", context.req.query("participant") ?? ""]]);
  return answerPage(<ActionPage {...{ name, session: got.value.view, entered, reader, typed }} />);
}

function actionIn(context: PageContext): ActionName | null {
  const name = context.req.param("action") ?? "";
  return isAction(name) ? name : null;
}

async function takeAction(visitor: Visitor): Promise<Response> {
  const { context, entered, reader, owners, gateway } = visitor;
  const { req, env } = context;
  const typed = await readSignedForm(req.raw, env, entered);
  if (typed === null) return refuseForm(context);
  const name = actionIn(context);
  if (name === null) return answerFailure(reader, { code: "not_found", what: "page" });
  const { holder } = entered;
  const presented = await owners.presentedBy(holder, req.param("id") ?? "");
  if (!presented.ok) return answerFailure(reader, presented.error);
  const words = reader.console;
  const hand = { gateway, owners, holder, presented: presented.value, typed, words };
  const acted = await act(hand, name);
  const here = `/console/sessions/${presented.value.sessionId}`;
  switch (acted.kind) {
    case "done":
      return redirect(`${here}?done=${name}`);
    case "opened": {
      const { session, token } = acted;
      const endsAt = session.participants.at(-1)?.expiresAt ?? null;
      const props = { reader, entered, session, token, endsAt, publicUrl: publicUrlOf(env) };
      return answerPage(<Opened {...props} />);
    }
    case "removed":
      return answerPage(<Removed {...{ reader, entered, certificate: acted.certificate }} />);
    case "refused":
      return answerFailure(reader, acted.failure, here);
    case "wrong": {
      const got = await gateway.get(presented.value);
      if (!got.ok) return answerFailure(reader, got.failure);
      const props = { name, session: got.value.view, entered, reader, typed };
      return answerPage(<ActionPage {...props} problem={acted.problem} />, 422);
    }
  }
}
