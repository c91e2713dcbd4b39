/**
 * Requests whose bytes are wrong: lengths that do not fit, chunks that are cut off, broken lines. Left out is
 * what the local runtime itself answers with 500 before any code of the product runs: a Content-Length that is
 * not a number or appears twice, a Host that is not valid or appears twice, an absolute address of another host
 * or `*`, and an unknown Transfer-Encoding.
 */
import type { Random } from "../../live/random.ts";
import type { TargetSession } from "./target-session.ts";

const JSON_TYPE = "Content-Type: application/json";
const CHUNKED = "Transfer-Encoding: chunked";
const BODY = '{"fields":{"a":"b"}}';

const request = (first: string, lines: readonly string[], body = ""): string =>
  `${[first, "Host: localhost", ...lines].join("\r\n")}\r\n\r\n${body}`;

/** The body ends too early, on every interface that reads one. */
function cutBody(target: TargetSession, auth: string, random: Random): string {
  const upload = `/sessions/${target.id}/uploads/${target.ids["uploadId"]}`;
  const form = "Content-Type: application/x-www-form-urlencoded";
  const [first, ...lines] = random.pick([
    [`PATCH /sessions/${target.id}`, auth, JSON_TYPE],
    [`POST /sessions`, JSON_TYPE],
    [`POST /mcp`, JSON_TYPE, "Accept: application/json, text/event-stream"],
    [`POST /h/${target.code}/act`, `Cookie: ${target.cookie}`, form],
    [`POST /h/${target.code}`, "Content-Type: multipart/form-data; boundary=b"],
    [`PUT ${upload}`, auth, "Content-Type: text/plain"],
    [`POST /jobs/events`, `Authorization: Bearer ${target.jobToken}`, JSON_TYPE],
  ]);
  const part = '{"jsonrpc":"2.0","fields":{"a"';
  const line = `${first} HTTP/1.1`;
  return random.chance(0.5)
    ? request(line, [...lines, `Content-Length: ${random.pick([3, 31, 5_000])}`], part)
    : request(line, [...lines, CHUNKED], `40\r\n${part}`);
}

export function rawRequest(target: TargetSession, random: Random): Buffer {
  const auth = `Authorization: Bearer ${target.credentials.owner}`;
  const path = `/sessions/${target.id}`;
  const patch = `PATCH ${path} HTTP/1.1`;
  const get = `GET ${path} HTTP/1.1`;
  const json = [auth, JSON_TYPE];
  const huge = `X-Huge: ${"h".repeat(random.pick([9_000, 70_000]))}`;
  const noise = Array.from({ length: random.between(1, 200) }, () => random.between(0, 255));
  const texts = [
    cutBody(target, auth, random),
    cutBody(target, auth, random),
    request(patch, [...json, "Content-Length: 5"], BODY),
    request(patch, [...json, "Expect: 100-continue"], BODY),
    request(patch, [...json, CHUNKED], `ZZ\r\n${BODY}\r\n0\r\n\r\n`),
    request(patch, [...json, CHUNKED, "Content-Length: 3"], `5\r\n{"a":`),
    request(patch, [auth, "Bad Header: 1", ": 2", "NoColon", "X: \x01\x7f"]),
    request(`GET ${path} HTTP/9.9`, [auth]),
    request(`GET ${path}`, [auth]),
    request(`GET /sessions/\xff\xfe%zz HTTP/1.1`, [auth]),
    request(get, [auth, huge]),
    `${get}\r\n${auth}\r\n\r\n`,
    request("OPTIONS /%2a HTTP/1.0", []),
    String.fromCharCode(...noise),
  ];
  return Buffer.from(random.pick(texts), "latin1");
}
