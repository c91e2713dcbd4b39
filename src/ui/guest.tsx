/** Who came by a link: their cookie, what they may see, and the page that explains where it ends. */
import type { Context } from "hono";
import type { Failure } from "../domain/failure";
import type { LinkCode } from "../domain/links/link-code";
import type { Env } from "../env";
import { callOf } from "../gateway/call";
import { Caller } from "../gateway/caller";
import { endingOfFailure } from "../gateway/endings";
import { Gateway } from "../gateway/gateway";
import { Links, type LinkAnswer } from "../gateway/links";
import type { Presented } from "../gateway/session-calls";
import { credentialIn, laterHeaders } from "./guard";
import { Refused } from "./landing";
import { answerPage } from "./layout";
import { visit, type Visit } from "./visit";
import type { Words } from "./words/en";
import { languageOf, readerOf, type Reader } from "./words/index";

export type PageContext = Context<{ Bindings: Env }>;

/** One who came by a link and has opened it. */
export interface Guest {
  readonly gateway: Gateway;
  readonly presented: Presented;
  readonly visit: Visit;
  readonly reader: Reader;
}

export const readerFor = ({ req }: PageContext): Reader => readerOf(languageOf(req.raw));

const STATUS_OF_LINK = {
  waiting: 200,
  unknown: 404,
  revoked: 410,
  expired: 410,
  ended: 410,
  used: 410,
  kept: 409,
  declined: 410,
  notMe: 410,
  gone: 410,
  slowed: 429,
  superseded: 409,
  forged: 403,
} as const;

export async function refuse(
  context: Pick<PageContext, "req">,
  why: keyof Words["refusals"],
  href?: string,
  headers = {},
): Promise<Response> {
  const page = <Refused why={why} reader={readerOf(languageOf(context.req.raw))} href={href} />;
  return answerPage(page, STATUS_OF_LINK[why], headers);
}

export const callerOf = ({ req, env }: PageContext): Caller =>
  new Caller(req.raw.headers, env, callOf(req.raw));
export const linksOf = (context: PageContext): Links => new Links(context.env, callerOf(context));
export function refuseLink(context: PageContext, answer: LinkAnswer): Promise<Response> {
  if (answer.state === "slowed" && "failure" in answer) return slow(context, answer.failure);
  return refuse(context, answer.state as Exclude<LinkAnswer["state"], "waiting" | "opened">);
}

/** The session, or what leads to it, does not answer for now. */
export const busy = (failure: Failure): Response =>
  new Response(readerOf("en").words.problems.busy, { status: 503, headers: laterHeaders(failure) });

const slow = (
  context: PageContext,
  failure: Extract<Failure, { code: "rate_limited" }>,
): Promise<Response> => refuse(context, "slowed", undefined, laterHeaders(failure));

/** Null without a cookie; a page that explains where the cookie no longer counts. */
export async function guestOf(
  context: PageContext,
  code: LinkCode,
): Promise<Guest | Response | null> {
  const cookie = credentialIn(context.req.raw.headers, context.env);
  if (cookie === null) return null;
  const call = callOf(context.req.raw);
  const presented = linksOf(context).readCookie(code, cookie);
  if (presented === null) return null;
  if (call !== null) call.sessionId = presented.sessionId;
  const gateway = new Gateway(context.env, callerOf(context));
  const reader = readerFor(context);
  const reply = await visit(gateway, presented, code, reader.language);
  if (reply.ok) return { gateway, presented, visit: reply.value, reader };
  if (reply.failure.code === "rate_limited") return slow(context, reply.failure);
  const why = endingOfFailure(reply.failure);
  if (why === null) return busy(reply.failure);
  return refuse(context, why, why === "superseded" ? `/h/${code}?again` : undefined);
}
