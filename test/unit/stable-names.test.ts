import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../src/domain/base64url.ts";
import { codeFromBytes } from "../../src/domain/links/link-code.ts";
import { COOKIE_PREFIX, formatToken, JOB_TOKEN_PREFIX } from "../../src/gateway/token.ts";
import { hashCookieSecret, hashLinkCode, hashSecret, unseal } from "../../src/gateway/secrets.ts";

/**
 * What was issued has to stay valid: a change of this is never a patch (docs/releases.md). Changing a
 * line here makes every issued token, link or cookie invalid.
 */
const countingBytes = (length: number, from = 0): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (from + index) % 256);
const digest = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

describe("names that are part of every token", () => {
  const toml = readFileSync(join(import.meta.dirname, "../../wrangler.toml"), "utf8");
  const all = (pattern: RegExp): readonly string[] =>
    [...toml.matchAll(pattern)].map(([, value = ""]) => value);

  it("are those of the Worker, its classes and its first migration", () => {
    expect(all(/^name = "([^"]+)"/gm)[0]).toBe("baton");
    expect(
      all(/^class_name = "([^"]+)"/gm)
        .slice(0, 4)
        .toSorted(),
    ).toEqual(["AgentQueue", "HandoffDirectory", "MissCounter", "SessionObject"]);
    expect(all(/^tag = "([^"]+)"/gm)[0]).toBe("v1");
    expect(all(/^new_sqlite_classes = (.*)$/gm)[0]).toBe(
      '["SessionObject", "HandoffDirectory", "MissCounter", "AgentQueue"]',
    );
  });
});

describe("issued tokens, links and cookies", () => {
  const parts = { objectIdHex: bytesToHex(countingBytes(32)), secret: countingBytes(24, 100) };

  it("are formatted as before", () => {
    const formatted = [
      formatToken({ ...parts, participant: 1, issuedSeq: 2 }),
      formatToken({ ...parts, participant: 1, issuedSeq: 2 }, JOB_TOKEN_PREFIX),
      formatToken({ ...parts, participant: 1, issuedSeq: 2 }, COOKIE_PREFIX),
      codeFromBytes(countingBytes(8, 50)),
    ];
    expect(formatted.map(digest)).toEqual([
      "a091e2bd5a323ba0",
      "38e48a404299fe8a",
      "ec9d2f3286e3e999",
      "d48aab0dceec6f6c",
    ]);
  });

  it("are hashed as before", async () => {
    const hashes = await Promise.all([
      hashSecret(parts.secret),
      hashCookieSecret(parts.secret),
      hashLinkCode(codeFromBytes(countingBytes(8, 50))),
    ]);
    expect(hashes.map(digest)).toEqual([
      "432e78bc58a21a5a",
      "56beadc63ed9785f",
      "a79649222e09949f",
    ]);
  });

  it("are unsealed as they were sealed", async () => {
    const sealed = Buffer.from(
      "AQIDBAUGBwgJCgsMKRzHo9os6QeeKT1jFuFsqGP6hAH0dHInrh6q92tRbYfgGuhefaLEjQ==",
      "base64",
    );
    expect(await unseal(parts.secret, sealed)).toEqual([countingBytes(24, 7)]);
  });
});
