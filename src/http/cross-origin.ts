/**
 * Every origin may call: rights come from tokens, which no browser sends by itself. The headers are
 * part of what answers begin with, because adding one to a finished answer costs more.
 */
import { CREATE_KEY_HEADER } from "../gateway/caller";

const EXPOSED = [
  "ETag",
  "Resume-Token",
  "Location",
  "Retry-After",
  "Idempotent-Replayed",
  "X-Request-Id",
  "Baton-Head",
  "Server-Timing",
  "RateLimit",
  "RateLimit-Policy",
];
const ACCEPTED = [
  "Authorization",
  "Content-Type",
  "If-Match",
  "If-None-Match",
  "Idempotency-Key",
  "Last-Event-ID",
  "X-Request-Id",
  "traceparent",
  "tracestate",
  CREATE_KEY_HEADER,
];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const PREFLIGHT_SECONDS = 86_400;
const ALLOW_ORIGIN = "Access-Control-Allow-Origin";

export const CROSS_ORIGIN: Readonly<Record<string, string>> = {
  [ALLOW_ORIGIN]: "*",
  "Access-Control-Expose-Headers": EXPOSED.join(","),
};

/** For answers that were made elsewhere. */
export function openToAll(response: Response): Response {
  const { headers } = response;
  if (headers.has(ALLOW_ORIGIN)) return response;
  for (const [name, value] of Object.entries(CROSS_ORIGIN)) headers.set(name, value);
  return response;
}

export const answerPreflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...CROSS_ORIGIN,
      "Access-Control-Allow-Methods": METHODS.join(","),
      "Access-Control-Allow-Headers": ACCEPTED.join(","),
      "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
    },
  });
