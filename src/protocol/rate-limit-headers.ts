/**
 * The headers Retry-After, RateLimit and RateLimit-Policy. The last two follow
 * draft-ietf-httpapi-ratelimit-headers, revisions 10 and 11.
 */
import type { Failure } from "../domain/failure";

/** In whole seconds, rounded up so that a retry never comes too early. */
export const retryAfter = (waitMs: number): { readonly "Retry-After": string } => ({
  "Retry-After": String(Math.ceil(waitMs / 1000)),
});

/** Sent only with a refusal: the platform's counters report that a quota is used up, not what is left. */
export function rateLimitHeaders({
  quota,
  retryAfterMs,
}: Extract<Failure, { code: "rate_limited" }>): Record<string, string> {
  if (quota === undefined) return {};
  const { name, limit, period } = quota;
  return {
    "RateLimit-Policy": `"${name}";q=${limit};w=${period}`,
    RateLimit: `"${name}";r=0;t=${Math.ceil(retryAfterMs / 1000)}`,
  };
}
