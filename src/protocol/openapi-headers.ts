/** The headers of responses and problems in OpenAPI. */
import * as z from "zod";
import type { RouteResponse, ApiRoute } from "./api-route";

type Doc = Record<string, unknown>;

const requiredHeader = (description: string): Doc => ({
  description,
  required: true,
  schema: { type: "string" },
});
const optionalHeader = (description: string): Doc => ({ description, schema: { type: "string" } });

const REQUEST_ID = requiredHeader("Names this request in the server's logs");
const TIMING = requiredHeader(
  "Milliseconds: `total` in the Worker, `object` of it waiting for objects",
);
const ETAG = '"<version>.<head>"';

export function responseHeaders(
  { schema, lines }: RouteResponse,
  status: number,
  route: ApiRoute,
): Doc {
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const isRepeatable = route.headers?.includes("Idempotency-Key") === true;
  return {
    "X-Request-Id": REQUEST_ID,
    "Server-Timing": TIMING,
    ...("session" in shape || status === 304 ? { ETag: requiredHeader(ETAG) } : {}),
    ...tokenHeader(shape),
    ...(isRepeatable
      ? { "Idempotent-Replayed": optionalHeader("`true` if this repeats an earlier response") }
      : {}),
    ...(lines === undefined
      ? {}
      : { "Baton-Head": optionalHeader("For JSON lines: the seq up to which they reach") }),
    ...(status === 201 && isNewSession(shape)
      ? { Location: requiredHeader("The new session") }
      : {}),
  };
}

/** Optional if an owner's key may write too: a key gets no token. */
function tokenHeader(shape: Readonly<Record<string, unknown>>): Doc {
  const token = shape["resumeToken"];
  if (token === undefined) return {};
  const toHeader = token instanceof z.ZodOptional ? optionalHeader : requiredHeader;
  return { "Resume-Token": toHeader("The same token as in the body") };
}

/** True if the session of the response is a new one, not the one that the request names. */
const isNewSession = (shape: object): boolean =>
  "session" in shape &&
  !["handoff", "checkpoint", "child", "upload", "endpoint"].some((name) => name in shape);

export function problemHeaders(status: number, codes: readonly string[]): Doc {
  const delayed = codes.filter((code) => RETRY_AFTER.has(code));
  const retryAfter = delayed.length === codes.length ? requiredHeader : optionalHeader;
  return {
    "X-Request-Id": REQUEST_ID,
    ...(status === 401 ? { "WWW-Authenticate": requiredHeader("How to send the token") } : {}),
    ...(status === 403 ? { "WWW-Authenticate": optionalHeader("With `token_invalid`") } : {}),
    ...(status === 409 || status === 412
      ? { ETag: optionalHeader(`Of \`current\`: ${ETAG}`) }
      : {}),
    ...(delayed.length === 0 ? {} : { "Retry-After": retryAfter("Seconds to wait") }),
    ...(status === 429
      ? {
          "RateLimit-Policy": optionalHeader("A rate limit: its name, quota and window"),
          RateLimit: optionalHeader("Its name, what is left, and seconds until it resets"),
        }
      : {}),
  };
}

const RETRY_AFTER: ReadonlySet<string> = new Set([
  "busy",
  "lease_held",
  "rate_limited",
  "overloaded",
]);
