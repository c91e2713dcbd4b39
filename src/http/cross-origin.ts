/**
 * CORS. Every origin may call: rights come from tokens, which no browser sends by itself. Responses are
 * created with these headers, because adding one to a finished response costs more.
 */
import { KEY_HEADER } from "../gateway/caller";

/** The headers that a page may read, and those that it may send. */
const EXPOSED =
  "ETag,Resume-Token,Location,Retry-After,Idempotent-Replayed,X-Request-Id,Baton-Head," +
  "Server-Timing,RateLimit,RateLimit-Policy";
const ACCEPTED =
  "Authorization,Content-Type,If-Match,If-None-Match,Idempotency-Key,Baton-Lease,Last-Event-ID,X-Request-Id," +
  `traceparent,tracestate,${KEY_HEADER}`;
const METHODS = "GET,HEAD,POST,PUT,PATCH,DELETE";
const PREFLIGHT_SECONDS = 86_400;
const ALLOW_ORIGIN = "Access-Control-Allow-Origin";

export const CROSS_ORIGIN: Readonly<Record<string, string>> = { [ALLOW_ORIGIN]: "*" };

/** The list of readable headers is sent only to pages: other clients send no Origin, and the list is long. */
export function openToAll(request: Request, response: Response): Response {
  const { headers } = response;
  if (!headers.has(ALLOW_ORIGIN)) headers.set(ALLOW_ORIGIN, "*");
  if (request.headers.has("Origin")) headers.set("Access-Control-Expose-Headers", EXPOSED);
  return response;
}

/** For responses that pages of other origins must not read. */
export function closeToOtherOrigins(response: Response): Response {
  if (response.headers.has(ALLOW_ORIGIN)) response.headers.delete(ALLOW_ORIGIN);
  return response;
}

export const answerPreflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...CROSS_ORIGIN,
      "Access-Control-Allow-Methods": METHODS,
      "Access-Control-Allow-Headers": ACCEPTED,
      "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
    },
  });
