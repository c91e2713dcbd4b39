/**
 * Requests whose very bytes are wrong: lengths that do not fit, chunks that are cut off, broken lines.
 * Left out is what the local runtime itself answers with 500 before any code of ours runs: a
 * Content-Length that is no number or comes twice, a Host that is none or comes twice, an
 * absolute address of another host or `*`, and a Transfer-Encoding it does not know.
 */
import type { Chance } from "./chance.ts";
import type { Lane } from "./lane.ts";

export interface RawAttempt {
  readonly bytes: Buffer;
  /** The client closes after the last byte instead of waiting for more. */
  readonly isCut: boolean;
}

const head = (first: string, ...lines: readonly string[]): string =>
  [first, "Host: localhost", ...lines].join("\r\n");
const cut = (text: string): RawAttempt => ({ bytes: Buffer.from(text, "latin1"), isCut: true });

const JSON_TYPE = "Content-Type: application/json";

/** Whatever reads a body has to live with one that ends too early. */
function cutBody(lane: Lane, auth: string, chance: Chance): RawAttempt {
  const [first, ...lines] = chance.pick([
    [`PATCH /sessions/${lane.id}`, auth, JSON_TYPE],
    [`POST /sessions`, JSON_TYPE],
    [`POST /mcp`, JSON_TYPE, "Accept: application/json, text/event-stream"],
    [
      `POST /h/${lane.code}/act`,
      `Cookie: ${lane.cookie}`,
      "Content-Type: application/x-www-form-urlencoded",
    ],
    [`POST /h/${lane.code}`, "Content-Type: multipart/form-data; boundary=b"],
    [`PUT /sessions/${lane.id}/uploads/${lane.ids["uploadId"]}`, auth, "Content-Type: text/plain"],
    [`POST /jobs/events`, `Authorization: Bearer ${lane.jobToken}`, JSON_TYPE],
  ]);
  const part = '{"jsonrpc":"2.0","fields":{"a"';
  const line = `${first} HTTP/1.1`;
  return chance.is(0.5)
    ? cut(
        `${head(line, ...lines, `Content-Length: ${chance.pick([3, 31, 5_000])}`)}\r\n\r\n${part}`,
      )
    : cut(`${head(line, ...lines, "Transfer-Encoding: chunked")}\r\n\r\n40\r\n${part}`);
}

export function rawAttempt(lane: Lane, chance: Chance): RawAttempt {
  const auth = `Authorization: Bearer ${lane.credentials.owner}`;
  const body = '{"fields":{"a":"b"}}';
  const patch = `PATCH /sessions/${lane.id} HTTP/1.1`;
  switch (chance.below(14)) {
    case 0:
    case 3:
      return cutBody(lane, auth, chance);
    case 1:
      return cut(`${head(patch, auth, JSON_TYPE, "Content-Length: 5")}\r\n\r\n${body}`);
    case 2:
      return cut(`${head(patch, auth, JSON_TYPE, "Expect: 100-continue")}\r\n\r\n${body}`);
    case 4:
      return cut(
        `${head(patch, auth, JSON_TYPE, "Transfer-Encoding: chunked")}\r\n\r\nZZ\r\n${body}\r\n0\r\n\r\n`,
      );
    case 5:
      return cut(
        `${head(patch, auth, JSON_TYPE, "Transfer-Encoding: chunked", "Content-Length: 3")}\r\n\r\n5\r\n{"a":`,
      );
    case 6:
      return cut(`${head(`GET /sessions/${lane.id} HTTP/9.9`, auth)}\r\n\r\n`);
    case 7:
      return cut(`${head(`GET /sessions/${lane.id}`, auth)}\r\n\r\n`);
    case 8:
      return cut(`${head(`GET /sessions/\xff\xfe%zz HTTP/1.1`, auth)}\r\n\r\n`);
    case 9:
      return cut(
        `${head(`GET /sessions/${lane.id} HTTP/1.1`, auth, `X-Huge: ${"h".repeat(chance.pick([9_000, 70_000]))}`)}\r\n\r\n`,
      );
    case 10:
      return cut(`${head(patch, auth, "Bad Header: 1", ": 2", "NoColon", "X: \x01\x7f")}\r\n\r\n`);
    case 11:
      return cut(`GET /sessions/${lane.id} HTTP/1.1\r\n${auth}\r\n\r\n`);
    case 12:
      return cut(`OPTIONS /%2a HTTP/1.0\r\nHost: localhost\r\n\r\n`);
    default:
      return {
        bytes: Buffer.from(Array.from({ length: 1 + chance.below(200) }, () => chance.below(256))),
        isCut: true,
      };
  }
}
