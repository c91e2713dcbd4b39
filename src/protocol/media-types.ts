/** Media types, and the request headers with their descriptions. */
export const PROBLEM_JSON = "application/problem+json";
export const EVENT_STREAM = "text/event-stream";
export const NDJSON = "application/x-ndjson";

/** All media types with which clients request one JSON document per line. */
export const NDJSON_TYPES = [
  NDJSON,
  "application/ndjson",
  "application/jsonl",
  "application/x-jsonlines",
  "application/json-lines",
] as const;

export const REQUEST_HEADERS = {
  "Idempotency-Key":
    "Says which attempt this is: the same request with the same key gets the same answer. Use a random value; for a create, at least 22 characters, because the key is then a secret",
  "If-Match": 'The version you have seen, as "<version>" or as the whole ETag',
  "Last-Event-ID": "The number of the last event seen; for a stream it wins over `after`",
  "Baton-Lease":
    "A lease as `<name>=<number>`: the request is refused unless its participant holds the lease",
  "If-None-Match": "An ETag; 304 if the session is still that",
} as const;
