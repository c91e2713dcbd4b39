/** Requests for every described operation, wrong in every place that a request has. */
import type { Random } from "../../live/random.ts";
import { bodyBytes, jsonText, oddValue, ODD_TEXTS } from "./odd-values.ts";
import { corrupt, valueFor, type JsonSchema } from "./schema-values.ts";
import type { TargetSession } from "./target-session.ts";
import type { Sent } from "./transport.ts";

export interface DescribedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: JsonSchema | null;
}

export interface ApiDescription extends JsonSchema {
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
}

export const operationsOf = ({ paths }: ApiDescription): readonly DescribedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: String(operation["operationId"]),
      method: method.toUpperCase(),
      path,
      query: ((operation["parameters"] ?? []) as readonly JsonSchema[])
        .filter((parameter) => parameter["in"] === "query")
        .map((parameter) => String(parameter["name"])),
      body: bodyOf(operation),
    })),
  );

function bodyOf(operation: JsonSchema): JsonSchema | null {
  const content = (operation["requestBody"] as JsonSchema | undefined)?.["content"] as
    | Readonly<Record<string, { schema: JsonSchema }>>
    | undefined;
  return content?.["application/json"]?.schema ?? null;
}

export interface HttpAttempt {
  readonly sent: Sent;
  /** Whose token it carries; the next one may come with the answer. */
  readonly by: "owner" | "guest" | null;
}

const ODD_PATHS = "%2e%2e %00 %ff %E0%A4%A ..%2f.. % a%20b %F0%9F%98%80 ses_ rtok_ *".split(" ");
const ODD_METHODS = "HEAD OPTIONS TRACE PUT PATCH DELETE PROPFIND POST GET".split(" ");
const ODD_IDS = ["p1", "j1", "0", "-1", "c1"];

/** Probability and values of headers that the operation does not need. */
const ODD_HEADERS: readonly (readonly [string, number, readonly string[]])[] = [
  [
    "If-Match",
    0.15,
    '"1" "999999" * W/"1" "" 1,2 "1.2.3" -1 1e3 "99999999999999999999" é'.split(" "),
  ],
  ["Idempotency-Key", 0.1, ["k", "same-key-again", "", " ", "a b", "é", "__proto__"]],
  ["Idempotency-Key", 0.05, [30, 255, 256].map((length) => "k".repeat(length))],
  ["If-None-Match", 0.1, ["*", '"1.1"', "garbage", ",".repeat(500)]],
  ["Accept", 0.1, ["*/*", "text/event-stream", "application/x-ndjson", "application/json;q=0"]],
  ["Accept", 0.05, [";;;", "a/b,".repeat(300), "é"]],
  ["Last-Event-ID", 0.1, ["0", "-1", "1e9", "x", "", "9".repeat(40), "é"]],
  ["X-Request-Id", 0.1, ["a", "x".repeat(600), "<b>", "é", " "]],
  ["Origin", 0.05, ["null", "https://evil.example", "é"]],
  ["traceparent", 0.05, ["00-0-0-0", "x", `00-${"a".repeat(32)}-${"b".repeat(16)}-01`]],
  ["Content-Encoding", 0.04, ["gzip", "br", "identity", "x"]],
  ["Range", 0.04, ["bytes=0-", "bytes=5-1", "bytes=-0", "items=1", `bytes=${"9".repeat(30)}-`]],
];

const ODD_TYPES = [
  ..." text/plain application/JSON;; application/merge-patch+json é/ü".split(" "),
  "application/json; charset=utf-16",
  "multipart/form-data",
  "application/x-www-form-urlencoded",
  `application/${"x".repeat(500)}`,
];

const ODD_QUERIES = "0 1 2 -1 1.5 1e9 NaN a.b a,b 2026-01-01T00:00:00Z true []"
  .split(" ")
  .concat("", "9".repeat(30), "😀".repeat(3), "a,".repeat(60))
  .map(encodeURIComponent);

export function httpRequest(
  operation: DescribedOperation,
  target: TargetSession,
  root: JsonSchema,
  random: Random,
): HttpAttempt {
  const by = random.pick(["owner", "owner", "owner", "guest", null] as const);
  const token = by === null ? wrongToken(target, random) : target.credentials[by];
  const isInPath = random.chance(0.15);
  const path = pathOf(operation, target, isInPath ? token : target.id, random);
  const headers: [string, string][] = [["Host", "localhost"]];
  if (!isInPath || random.chance(0.2))
    headers.push(["Authorization", authorization(token, operation, target, random)]);
  const method = random.chance(0.06) ? random.pick(ODD_METHODS) : operation.method;
  const hasBody = random.chance(operation.body === null ? 0.1 : 0.95);
  const takesBody = !["GET", "HEAD", "TRACE"].includes(method);
  const body = hasBody && takesBody ? bodyFor(operation, root, random) : Buffer.alloc(0);
  if (body.length > 0) {
    const type = random.chance(0.9) ? "application/json" : random.pick(ODD_TYPES);
    headers.push(["Content-Type", latin(type)], ["Content-Length", String(body.length)]);
  } else if (method !== "GET" && method !== "HEAD") headers.push(["Content-Length", "0"]);
  for (const [name, probability, values] of ODD_HEADERS) {
    if (random.chance(probability)) headers.push([name, latin(random.pick(values))]);
  }
  return { sent: { method, path: path + queryFor(operation, random), headers, body }, by };
}

function wrongToken(target: TargetSession, random: Random): string {
  const { owner } = target.credentials;
  const altered = `${owner.slice(0, -3)}${owner.endsWith("AAA") ? "BBB" : "AAA"}`;
  const cut = [owner.slice(0, 20), `${owner}A`, "rtok_", "rtok_!!!", `rtok_${"A".repeat(300)}`];
  return random.pick([target.spent, altered, target.jobToken, ...cut, "é"]);
}

function authorization(
  token: string,
  { path }: DescribedOperation,
  target: TargetSession,
  random: Random,
): string {
  const bearer = path.startsWith("/jobs") && random.chance(0.7) ? target.jobToken : token;
  if (random.chance(0.9)) return latin(`Bearer ${bearer}`);
  const twice = `Bearer ${bearer}, Bearer ${bearer}`;
  const long = [`Bearer ${" ".repeat(2_000)}x`, `Bearer ${"A".repeat(4_000)}`];
  const odd = [bearer, `bearer  ${bearer}`, `Basic ${bearer}`, twice, "Bearer", "Bearer ", ...long];
  return latin(random.pick(odd));
}

/** Header values are bytes; characters beyond that would not leave this machine. */
const latin = (text: string): string =>
  Buffer.from(text, "latin1")
    .toString("latin1")
    .replaceAll(/[\r\n\0]/g, "");

function pathOf(
  { path }: DescribedOperation,
  target: TargetSession,
  ref: string,
  random: Random,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (random.chance(0.05)) return random.pick([...ODD_PATHS, "x".repeat(9_000)]);
    if (name === "ref") return encodeURI(ref);
    return random.chance(0.85) ? (target.ids[name] ?? "x") : random.pick(ODD_IDS);
  });
  const named = random.chance(0.1) ? filled.replace(/^\/sessions/, "/submissions") : filled;
  if (random.chance(0.96)) return named;
  const altered = [`${named}/`, `/${named}`, `${named}/..`, `${named};a=b`, `${named}%2f`];
  return random.pick([...altered, "/nowhere", "/mcp/x", "/SESSIONS"]);
}

function queryFor({ query }: DescribedOperation, random: Random): string {
  const names = random.chance(0.7) ? query : [...query, random.pick(ODD_TEXTS), "token"];
  const parts = names
    .filter(() => random.chance(query.length > 0 ? 0.4 : 0.05))
    .map((name) => `${encodeURIComponent(name)}=${queryValue(name, random)}`);
  if (random.chance(0.01)) parts.push("q".repeat(9_000));
  return parts.length === 0 ? "" : `?${parts.join(random.chance(0.95) ? "&" : "&&")}`;
}

const queryValue = (name: string, random: Random): string =>
  name === "waitMs"
    ? // A long wait is allowed, and would only delay the run.
      random.pick(["0", "5", "-1", "60001", "1e3x", "", "NaN"])
    : random.pick([...ODD_QUERIES, "%00", "%ff", "%", "%E0%A4"]);

function bodyFor({ body }: DescribedOperation, root: JsonSchema, random: Random): Buffer {
  if (body === null || random.chance(0.1)) return bodyBytes(jsonText(oddValue(random)), random);
  let value = withShortWait(valueFor(body, root, random));
  for (let times = random.pick([0, 1, 1, 1, 2, 3]); times > 0; times -= 1)
    value = withShortWait(corrupt(value, random));
  if (random.chance(0.002)) value = { pad: "x".repeat(1_100_000) };
  return bodyBytes(jsonText(value), random);
}

function withShortWait(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("waitMs" in value)) return value;
  const { waitMs } = value as { waitMs: unknown };
  const isLong = typeof waitMs === "number" && waitMs > 5 && waitMs <= 60_000;
  return isLong ? { ...value, waitMs: 5 } : value;
}
