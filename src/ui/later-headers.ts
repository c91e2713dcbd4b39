/** What a page says to scripts and browsers when something is refused for now. */
import type { Failure } from "../domain/failure";
import { rateLimitHeaders } from "../protocol/rate-limit-headers";

/** When it is worth while to try again after a refusal that does not last. */
export function laterHeaders(failure: Failure): Readonly<Record<string, string>> {
  const { retryAfterMs = 1_000 } = failure as { readonly retryAfterMs?: number };
  const headers = { "Retry-After": String(Math.ceil(retryAfterMs / 1000)) };
  return failure.code === "rate_limited" ? { ...headers, ...rateLimitHeaders(failure) } : headers;
}
