/**
 * Problem texts mention requests and headers. For models, this file replaces them with the names of
 * tools and arguments. It must not change codes and facts.
 */
const REPLACEMENTS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/If-Match: "(\d+)"/g, "if_version $1"],
  [/If-Match/g, "if_version"],
  [/Baton-Lease/g, "lease"],
  [/Idempotency-Key/g, "idempotency_key"],
  [/expectedHead/g, "expected_head"],
  [/lastEventSeq/g, "last_event_seq"],
  [/externalId/g, "external_id"],
  [/onEnded/g, "on_ended"],
  [/ttlMs/g, "ttl_ms"],
  [/singleUse/g, "single_use"],
  [/finalizeParent/g, "finalize_parent"],
  [/GET \/sessions\/\{id\}/g, "get_session"],
  [/GET \/sessions/g, "list_sessions"],
  [/POST \/sessions\/(?:\{id\}\/)?open/g, "open_session"],
  [/POST \/sessions/g, "create_session"],
  [/Wait for the time in Retry-After/g, "Wait for `retryAfterMs` milliseconds"],
  [
    /Check the path and the ids\. \/docs\/api lists every route\./g,
    "Check the name or the id that you gave.",
  ],
  [
    /Set the Content-Type that the upload was requested with/g,
    "Give the media type that it has as type",
  ],
  [/ Quote the X-Request-Id header when you report it\./g, ""],
  [
    /Read GET …\/checkpoints\/\S+, then continue after (\d+)\./g,
    "`current` is the session as it is now; continue with read_events after $1.",
  ],
  [
    /Send `Authorization: Bearer bkey_….*`Baton-Key`\./g,
    "This connection does not send an owner's key, and no argument accepts one: ask the user to add it to the headers in this client's configuration.",
  ],
  [/the path and the Authorization header carry/g, "session_id and resume_token hold"],
];

export const toToolTerms = (text: string): string =>
  REPLACEMENTS.reduce((result, [pattern, name]) => result.replaceAll(pattern, name), text);
