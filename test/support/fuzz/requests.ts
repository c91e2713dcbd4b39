/**
 * Requests for every described route, wrong in every place a request has: path, query, header,
 * body. Long because it is one list of ways to be wrong, by the place in a request.
 */
import type { Chance } from "./chance.ts";
import { sample, spoil, type Shape } from "./from-schema.ts";
import type { Lane } from "./lane.ts";
import { toBytes, toText, wild, WORDS } from "./wild.ts";
import type { Sent } from "./wire.ts";

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: Shape | null;
}

export interface Description extends Shape {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Shape>>>>;
}

export function operationsOf(description: Description): readonly Operation[] {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: String(operation["operationId"]),
      method: method.toUpperCase(),
      path,
      query: ((operation["parameters"] ?? []) as readonly Shape[])
        .filter((parameter) => parameter["in"] === "query")
        .map((parameter) => String(parameter["name"])),
      body: bodyOf(operation),
    })),
  );
}

function bodyOf(operation: Shape): Shape | null {
  const content = (operation["requestBody"] as Shape | undefined)?.["content"] as
    | Readonly<Record<string, { schema: Shape }>>
    | undefined;
  return content?.["application/json"]?.schema ?? null;
}

export interface Attempt {
  readonly sent: Sent;
  /** Whose token it carries; its next one may come with the answer. */
  readonly by: "owner" | "guest" | null;
}

const ODD_PATHS = [
  "%2e%2e",
  "%00",
  "%ff",
  "%E0%A4%A",
  "..%2f..",
  "%",
  "a%20b",
  "%F0%9F%98%80",
  "ses_",
  "rtok_",
  "*",
  "x".repeat(9_000),
];
const ODD_METHODS = [
  "HEAD",
  "OPTIONS",
  "TRACE",
  "PUT",
  "PATCH",
  "DELETE",
  "PROPFIND",
  "POST",
  "GET",
];

export function attempt(operation: Operation, lane: Lane, root: Shape, chance: Chance): Attempt {
  const by = chance.pick(["owner", "owner", "owner", "guest", null] as const);
  const token = by === null ? strangeToken(lane, chance) : lane.credentials[by];
  const isInPath = chance.is(0.15);
  const path = pathOf(operation, lane, isInPath ? token : lane.id, chance);
  const headers: [string, string][] = [["Host", "localhost"]];
  if (!isInPath || chance.is(0.2))
    headers.push(["Authorization", authorization(token, operation, lane, chance)]);
  const method = chance.is(0.06) ? chance.pick(ODD_METHODS) : operation.method;
  const hasBody = operation.body !== null ? chance.is(0.95) : chance.is(0.1);
  const body =
    hasBody && method !== "GET" && method !== "HEAD" && method !== "TRACE"
      ? bodyFor(operation, root, chance)
      : Buffer.alloc(0);
  if (body.length > 0) {
    headers.push(["Content-Type", contentType(chance)], ["Content-Length", String(body.length)]);
  } else if (method !== "GET" && method !== "HEAD") headers.push(["Content-Length", "0"]);
  headers.push(...oddHeaders(chance));
  return { sent: { method, path: path + queryFor(operation, chance), headers, body }, by };
}

function strangeToken(lane: Lane, chance: Chance): string {
  const { owner } = lane.credentials;
  const flipped = `${owner.slice(0, -3)}${owner.endsWith("AAA") ? "BBB" : "AAA"}`;
  return chance.pick([
    lane.spent,
    flipped,
    lane.jobToken,
    owner.slice(0, 20),
    `${owner}A`,
    "rtok_",
    "rtok_!!!",
    `rtok_${"A".repeat(300)}`,
    "é",
  ]);
}

function authorization(token: string, operation: Operation, lane: Lane, chance: Chance): string {
  const bearer = operation.path.startsWith("/jobs") && chance.is(0.7) ? lane.jobToken : token;
  if (chance.is(0.9)) return latin(`Bearer ${bearer}`);
  return latin(
    chance.pick([
      bearer,
      `bearer  ${bearer}`,
      `Basic ${bearer}`,
      `Bearer ${bearer}, Bearer ${bearer}`,
      "Bearer",
      "Bearer ",
      `Bearer ${" ".repeat(2_000)}x`,
      `Bearer ${"A".repeat(4_000)}`,
    ]),
  );
}

/** Header values are bytes; what is above them would not leave this machine. */
const latin = (text: string): string =>
  Buffer.from(text, "latin1")
    .toString("latin1")
    .replaceAll(/[\r\n\0]/g, "");

function pathOf({ path }: Operation, lane: Lane, ref: string, chance: Chance): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (chance.is(0.05)) return chance.pick(ODD_PATHS);
    if (name === "ref") return encodeURI(ref);
    return chance.is(0.85) ? (lane.ids[name] ?? "x") : chance.pick(["p1", "j1", "0", "-1", "c1"]);
  });
  const named = chance.is(0.1) ? filled.replace(/^\/sessions/, "/submissions") : filled;
  if (chance.is(0.96)) return named;
  return chance.pick([
    `${named}/`,
    `/${named}`,
    `${named}/..`,
    `${named};a=b`,
    `${named}%2f`,
    "/nowhere",
    "/mcp/x",
    "/SESSIONS",
  ]);
}

function queryFor({ query }: Operation, chance: Chance): string {
  const names = chance.is(0.7) ? query : [...query, chance.pick(WORDS), "token"];
  const parts = names
    .filter(() => chance.is(query.length > 0 ? 0.4 : 0.05))
    .map((name) => `${encodeURIComponent(name)}=${queryValue(name, chance)}`);
  if (chance.is(0.01)) parts.push("q".repeat(9_000));
  return parts.length === 0 ? "" : `?${parts.join(chance.is(0.95) ? "&" : "&&")}`;
}

function queryValue(name: string, chance: Chance): string {
  // A long wait that is allowed is no hang, and would only hold the run up.
  if (name === "waitMs") return chance.pick(["0", "5", "-1", "60001", "1e3x", "", "NaN"]);
  return chance.pick(
    [
      "0",
      "1",
      "2",
      "-1",
      "1.5",
      "1e9",
      "9".repeat(30),
      "NaN",
      "",
      "a.b",
      "a,b",
      "%00",
      "%ff",
      "%",
      "%E0%A4",
      "2026-01-01T00:00:00Z",
      "true",
      "[]",
      "😀".repeat(3),
      "a,".repeat(60),
    ].map((text) => (text.includes("%") ? text : encodeURIComponent(text))),
  );
}

function bodyFor(operation: Operation, root: Shape, chance: Chance): Buffer {
  if (operation.body === null || chance.is(0.1)) return toBytes(toText(wild(chance)), chance);
  let value = tamed(sample(operation.body, root, chance));
  for (let times = chance.pick([0, 1, 1, 1, 2, 3]); times > 0; times -= 1)
    value = tamed(spoil(value, chance));
  if (chance.is(0.002)) value = { pad: "x".repeat(1_100_000) };
  return toBytes(toText(value), chance);
}

/** Long waits are allowed too; and what ends the session for good is tried, but not all the time. */
function tamed(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("waitMs" in value)) return value;
  const wait = (value as { waitMs: unknown }).waitMs;
  return typeof wait === "number" && wait > 5
    ? { ...value, waitMs: wait > 60_000 ? wait : 5 }
    : value;
}

function contentType(chance: Chance): string {
  if (chance.is(0.9)) return "application/json";
  return chance.pick(
    [
      "",
      "text/plain",
      "application/json; charset=utf-16",
      "application/JSON;;",
      "application/merge-patch+json",
      "multipart/form-data",
      "application/x-www-form-urlencoded",
      `application/${"x".repeat(500)}`,
      "é/ü",
    ].map(latin),
  );
}

function oddHeaders(chance: Chance): [string, string][] {
  const headers: [string, string][] = [];
  if (chance.is(0.15))
    headers.push([
      "If-Match",
      latin(
        chance.pick([
          '"1"',
          '"999999"',
          "*",
          'W/"1"',
          '""',
          "1,2",
          '"1.2.3"',
          "-1",
          "1e3",
          '"99999999999999999999"',
          "é",
        ]),
      ),
    ]);
  if (chance.is(0.15))
    headers.push([
      "Idempotency-Key",
      latin(
        chance.pick([
          "k",
          "same-key-again",
          "",
          " ",
          "a b",
          "é",
          "k".repeat(255),
          "k".repeat(256),
          "__proto__",
          "k".repeat(30),
        ]),
      ),
    ]);
  if (chance.is(0.1))
    headers.push(["If-None-Match", latin(chance.pick(["*", '"1.1"', "garbage", ",".repeat(500)]))]);
  if (chance.is(0.15))
    headers.push([
      "Accept",
      latin(
        chance.pick([
          "*/*",
          "text/event-stream",
          "application/x-ndjson",
          "application/json;q=0",
          ";;;",
          "a/b,".repeat(300),
          "é",
        ]),
      ),
    ]);
  if (chance.is(0.1))
    headers.push([
      "Last-Event-ID",
      latin(chance.pick(["0", "-1", "1e9", "x", "", "9".repeat(40), "é"])),
    ]);
  if (chance.is(0.1))
    headers.push(["X-Request-Id", latin(chance.pick(["a", "x".repeat(600), "<b>", "é", " "]))]);
  if (chance.is(0.05))
    headers.push(["Origin", latin(chance.pick(["null", "https://evil.example", "é"]))]);
  if (chance.is(0.05))
    headers.push([
      "traceparent",
      latin(chance.pick(["00-0-0-0", "x", `00-${"a".repeat(32)}-${"b".repeat(16)}-01`])),
    ]);
  if (chance.is(0.04))
    headers.push(["Content-Encoding", chance.pick(["gzip", "br", "identity", "x"])]);
  if (chance.is(0.04))
    headers.push([
      "Range",
      latin(
        chance.pick(["bytes=0-", "bytes=5-1", "bytes=-0", "items=1", `bytes=${"9".repeat(30)}-`]),
      ),
    ]);
  return headers;
}
