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

export function rawAttempt(lane: Lane, chance: Chance): RawAttempt {
  const auth = `Authorization: Bearer ${lane.credentials.owner}`;
  const body = '{"fields":{"a":"b"}}';
  const head = (first: string, ...lines: readonly string[]): string =>
    [first, "Host: localhost", ...lines].join("\r\n");
  const patch = `PATCH /sessions/${lane.id} HTTP/1.1`;
  const json = "Content-Type: application/json";
  const cut = (text: string): RawAttempt => ({ bytes: Buffer.from(text, "latin1"), isCut: true });
  switch (chance.below(14)) {
    case 0:
      return cut(
        `${head(patch, auth, json, `Content-Length: ${body.length + 50}`)}\r\n\r\n${body}`,
      );
    case 1:
      return cut(`${head(patch, auth, json, "Content-Length: 5")}\r\n\r\n${body}`);
    case 2:
      return cut(`${head(patch, auth, json, "Expect: 100-continue")}\r\n\r\n${body}`);
    case 3:
      return cut(
        `${head(patch, auth, json, "Transfer-Encoding: chunked")}\r\n\r\n14\r\n${body.slice(0, 9)}`,
      );
    case 4:
      return cut(
        `${head(patch, auth, json, "Transfer-Encoding: chunked")}\r\n\r\nZZ\r\n${body}\r\n0\r\n\r\n`,
      );
    case 5:
      return cut(
        `${head(patch, auth, json, "Transfer-Encoding: chunked", "Content-Length: 3")}\r\n\r\n5\r\n{"a":`,
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
