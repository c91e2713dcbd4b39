/** Builds HTTP responses: headers, tokens, problems. None of them is ever cached. */
import type { Failure } from "../domain/failure";
import type { SessionText } from "../domain/session/view";
import type { GatewayRefusal } from "../gateway/gateway";
import type { RawToken } from "../gateway/token";
import { PROBLEM_JSON } from "../protocol/media-types";
import { rateLimitHeaders, retryAfter } from "../protocol/rate-limit-headers";
import { toProblem } from "../protocol/problem";
import { etagOf } from "./conditions";
import { CROSS_ORIGIN } from "./cross-origin";

/** The platform copies it as a whole, which is far cheaper than setting each header again. */
const EMPTY = new Headers({ ...CROSS_ORIGIN, "Cache-Control": "no-store" });
const JSON_BASE = new Headers([...EMPTY, ["Content-Type", "application/json"]]);
const PROBLEM_BASE = new Headers([...EMPTY, ["Content-Type", PROBLEM_JSON]]);

type HeaderValues = Readonly<Record<string, string>>;
type Body = string | Uint8Array;

function answer(status: number, text: Body | null, base: Headers, extra: HeaderValues): Response {
  const response = new Response(text, { status, headers: base });
  for (const name in extra) response.headers.set(name, extra[name] ?? "");
  return response;
}

export const answerJson = (status: number, body: unknown, headers: HeaderValues = {}): Response =>
  answerText(status, JSON.stringify(body), headers);

export const answerText = (status: number, text: Body, headers: HeaderValues = {}): Response =>
  answer(status, text, JSON_BASE, headers);

export const answerEmpty = (status: number, headers: HeaderValues = {}): Response =>
  answer(status, null, EMPTY, headers);

/** A body with a session: its JSON text is inserted as it is. */
export function withSession({ json }: SessionText, members: object = {}): string {
  const rest = JSON.stringify(members);
  return rest === "{}" ? `{"session":${json}}` : `{"session":${json},${rest.slice(1)}`;
}

/** Marks the response to a repeated request that changed nothing. */
export const replayedHeader = (replayed: boolean): HeaderValues =>
  replayed ? { "Idempotent-Replayed": "true" } : {};

/** Headers of a response that shows a session, and perhaps its next token. */
export const sessionHeaders = (
  session: Pick<SessionText, "version" | "head">,
  resumeToken?: RawToken,
  replayed = false,
): HeaderValues => ({
  ETag: etagOf(session),
  ...(resumeToken === undefined ? {} : { "Resume-Token": resumeToken }),
  ...replayedHeader(replayed),
});

interface SessionAnswer {
  readonly session: SessionText;
  readonly resumeToken: RawToken;
  readonly replayed?: boolean;
}

/** A session that is new, or new to the caller, with its location. */
export function answerCreated(
  { session, resumeToken, replayed }: SessionAnswer,
  members: object = { resumeToken },
): Response {
  const headers = sessionHeaders(session, resumeToken, replayed);
  const location = { Location: `/sessions/${session.id}` };
  return answerText(201, withSession(session, members), { ...location, ...headers });
}

export function answerProblem(failure: Failure, context: Context = {}): Response {
  const problem = toProblem(failure, context as Parameters<typeof toProblem>[1]);
  const text = JSON.stringify(problem);
  return answer(problem.status, text, PROBLEM_BASE, extraHeaders(failure, context));
}

type Context = Partial<Omit<GatewayRefusal, "ok" | "failure">>;

function extraHeaders(failure: Failure, { current }: Context): HeaderValues {
  switch (failure.code) {
    case "credential_missing":
      return { "WWW-Authenticate": 'Bearer realm="baton"' };
    case "token_invalid":
      return { "WWW-Authenticate": 'Bearer realm="baton", error="invalid_token"' };
    case "method_not_allowed":
      return { Allow: failure.allow.join(", ") };
    case "upgrade_required":
      return { Upgrade: "websocket", Connection: "Upgrade" };
    case "rate_limited":
      return { ...retryAfter(failure.retryAfterMs), ...rateLimitHeaders(failure) };
    case "busy":
    case "lease_held":
    case "overloaded":
      return retryAfter(failure.retryAfterMs);
    default:
      return current === undefined ? {} : { ETag: etagOf(current) };
  }
}
