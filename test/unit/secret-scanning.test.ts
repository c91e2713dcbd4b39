import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../src/domain/base64url";
import { sessionIdFromHex } from "../../src/domain/ids";
import { formatToken, JOB_TOKEN_PREFIX, SECRET_BYTES } from "../../src/gateway/token";
import { tokensIn } from "../support/token-pattern";

const ROOT = join(import.meta.dirname, "../..");

const parts = fc.record({
  objectIdHex: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex),
  participant: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  issuedSeq: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  secret: fc.uint8Array({ minLength: SECRET_BYTES, maxLength: SECRET_BYTES }),
});
const tokens = fc.oneof(
  parts.map((one) => formatToken(one)),
  parts.map((one) => formatToken(one, JOB_TOKEN_PREFIX)),
);
/** Contexts in which leaked tokens have been found. */
const AROUND: readonly ((token: string) => string)[] = [
  (token) => token,
  (token) => `Authorization: Bearer ${token}\r\n`,
  (token) => `{"resumeToken":"${token}"}`,
  (token) => `export BATON_TOKEN=${token}`,
  (token) => `GET /sessions/${token}/events?after=1 HTTP/1.1`,
  (token) => `curl 'https://example.org/sessions/${token}'`,
  (token) => `seen: ${token}, ${token}.`,
  (token) => `${token} ${token}`,
];

describe("the published pattern for tokens", () => {
  it("finds every token that the code generates, wherever it is", () => {
    fc.assert(
      fc.property(tokens, fc.constantFrom(...AROUND), (token, around) => {
        const text = around(token);
        const times = text.split(token).length - 1;
        expect(tokensIn(text)).toEqual(Array.from({ length: times }, () => token));
      }),
    );
  });

  it("finds no id, hash, prose or token of another length", () => {
    const hex = randomBytes(32).toString("hex");
    const secret = randomBytes(66).toString("base64url");
    for (const text of [
      sessionIdFromHex(hex),
      hex,
      createHash("sha256").update(secret).digest("base64url"),
      secret,
      `ses_${secret}`,
      `job_${secret}`,
      "A resume token begins with rtok_, a job token with jtok_.",
      "rtok_…",
      `rtok_${"<88 characters>"}`,
      `rtok_${secret.slice(1)}`,
      `rtok_${secret}A`,
      `RTOK_${secret}`,
      `my_rtok_${secret}`,
    ]) {
      expect(tokensIn(text), text).toEqual([]);
    }
  });

  it("finds none in any file of the repository", () => {
    const { stdout } = spawnSync(
      "git",
      ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
      {
        cwd: ROOT,
        encoding: "utf8",
      },
    );
    const files = stdout.split("\0").filter((name) => name !== "" && existsSync(join(ROOT, name)));
    expect(files.length).toBeGreaterThan(100);
    const holding = files.filter(
      (name) => tokensIn(readFileSync(join(ROOT, name), "latin1")).length > 0,
    );
    expect(holding).toEqual([]);
  });
});
