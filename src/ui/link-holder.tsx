/** The person behind a link's cookie, what they may see, and the pages for a link that does not work. */
import type { Context } from "hono";
import type { Failure } from "../domain/failure";
import type { LinkCode } from "../domain/links/link-code";
import type { Env } from "../env";
import { telemetryOf } from "../gateway/request-telemetry";
import { Caller } from "../gateway/caller";
import { endReasonOfFailure } from "../gateway/failure-end-reason";
import { Gateway } from "../gateway/gateway";
import { Links, type LinkAnswer } from "../gateway/links";
import type { UnverifiedCredential } from "../gateway/session-calls";
import { readCredentialCookie, retryLaterHeaders } from "./cookies";
import { RefusalPage } from "./landing";
import { answerPage } from "./layout";
import { loadPageView, type PageView } from "./page-view";
import type { Words } from "./words/en";
import { languageOf, readerOf, type Reader } from "./words/index";

export type PageContext = Context<{ Bindings: Env }>;

/** A person who has opened a link. */
export interface LinkHolder {
  readonly gateway: Gateway;
  readonly credential: UnverifiedCredential;
  readonly view: PageView;
  readonly reader: Reader;
}

export const readerFor = ({ req }: PageContext): Reader => readerOf(languageOf(req.raw));

const REFUSAL_STATUS = {
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

export async function refusePage(
  context: Pick<PageContext, "req">,
  why: keyof Words["refusals"],
  href?: string,
  headers = {},
): Promise<Response> {
  const page = <RefusalPage why={why} reader={readerOf(languageOf(context.req.raw))} href={href} />;
  return answerPage(page, REFUSAL_STATUS[why], headers);
}

export const callerOf = ({ req, env }: PageContext): Caller =>
  new Caller(req.raw.headers, env, telemetryOf(req.raw));
export const linksOf = (context: PageContext): Links => new Links(context.env, callerOf(context));
export function refuseLink(context: PageContext, answer: LinkAnswer): Promise<Response> {
  if (answer.state === "slowed" && "failure" in answer)
    return refuseRateLimited(context, answer.failure);
  return refusePage(context, answer.state as Exclude<LinkAnswer["state"], "waiting" | "opened">);
}

/** The session or its directory cannot be reached for now. */
export const busyResponse = (failure: Failure): Response =>
  new Response(readerOf("en").words.problems.busy, {
    status: 503,
    headers: retryLaterHeaders(failure),
  });

const refuseRateLimited = (
  context: PageContext,
  failure: Extract<Failure, { code: "rate_limited" }>,
): Promise<Response> => refusePage(context, "slowed", undefined, retryLaterHeaders(failure));

/** Null without a cookie. A page with the reason if the cookie is no longer valid. */
export async function loadLinkHolder(
  context: PageContext,
  code: LinkCode,
): Promise<LinkHolder | Response | null> {
  const cookie = readCredentialCookie(context.req.raw.headers, context.env);
  if (cookie === null) return null;
  const call = telemetryOf(context.req.raw);
  const credential = linksOf(context).readCookie(code, cookie);
  if (credential === null) return null;
  if (call !== null) call.sessionId = credential.sessionId;
  const gateway = new Gateway(context.env, callerOf(context));
  const reader = readerFor(context);
  const reply = await loadPageView(gateway, credential, code, reader.language);
  if (reply.ok) return { gateway, credential, view: reply.value, reader };
  if (reply.failure.code === "rate_limited") return refuseRateLimited(context, reply.failure);
  const why = endReasonOfFailure(reply.failure);
  if (why === null) return busyResponse(reply.failure);
  return refusePage(context, why, why === "superseded" ? `/h/${code}?again` : undefined);
}
