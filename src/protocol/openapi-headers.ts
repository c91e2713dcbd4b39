/** Which headers an answer or a problem carries, as OpenAPI describes them. */
import * as z from "zod";
import type { RouteResponse, ApiRoute } from "./api-route";

type Doc = Record<string, unknown>;

/** A header that every such answer carries. */
const requiredHeader = (description: string): Doc => ({
  description,
  required: true,
  schema: { type: "string" },
});
/** A header that comes only where there is a reason for it. */
const optionalHeader = (description: string): Doc => ({ description, schema: { type: "string" } });

const REQUEST_ID = requiredHeader("Names this request in the server's logs");
const TIMING = requiredHeader(
  "Milliseconds: `total` in the Worker, `object` of it waiting for objects",
);
const ETAG = '"<version>.<head>"';

export function responseHeaders(
  { schema, lines }: RouteResponse,
  status: number,
  endpoint: ApiRoute,
): Doc {
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const isRepeatable = endpoint.headers?.includes("Idempotency-Key") === true;
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

/** An owner's key gets none. */
function tokenHeader(shape: Readonly<Record<string, unknown>>): Doc {
  const token = shape["resumeToken"];
  if (token === undefined) return {};
  const said = token instanceof z.ZodOptional ? optionalHeader : requiredHeader;
  return { "Resume-Token": said("The same token as in the body") };
}

/** The session of the answer is the one that was made, not the one that was asked. */
const isNewSession = (shape: object): boolean =>
  "session" in shape &&
  !["handoff", "checkpoint", "child", "upload", "endpoint"].some((name) => name in shape);

export function problemHeaders(status: number, codes: readonly string[]): Doc {
  const waits = codes.filter((code) => RETRY_AFTER.has(code));
  const retryAfter = waits.length === codes.length ? requiredHeader : optionalHeader;
  return {
    "X-Request-Id": REQUEST_ID,
    ...(status === 401 ? { "WWW-Authenticate": requiredHeader("How to send the token") } : {}),
    ...(status === 403 ? { "WWW-Authenticate": optionalHeader("With `token_invalid`") } : {}),
    ...(status === 409 || status === 412
      ? { ETag: optionalHeader(`Of \`current\`: ${ETAG}`) }
      : {}),
    ...(waits.length === 0 ? {} : { "Retry-After": retryAfter("Seconds to wait") }),
    ...(status === 429
      ? {
          "RateLimit-Policy": optionalHeader("A rate limit: its name, quota and window"),
          RateLimit: optionalHeader("Its name, what is left, and seconds until it resets"),
        }
      : {}),
  };
}

const RETRY_AFTER: ReadonlySet<string> = new Set(["busy", "rate_limited", "overloaded"]);
