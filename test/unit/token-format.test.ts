import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../src/domain/base64url";
import { numberOf, objectIdHexOf, sessionIdFromHex } from "../../src/domain/ids";
import { formatToken, parseToken, SECRET_BYTES, TOKEN_PREFIX } from "../../src/gateway/token";

const objectIdHex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex);
const parts = fc.record({
  objectIdHex,
  participant: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  issuedSeq: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  secret: fc.uint8Array({ minLength: SECRET_BYTES, maxLength: SECRET_BYTES }),
});

describe("the resume token", () => {
  it("round-trips its parts", () => {
    fc.assert(
      fc.property(parts, (given) => {
        expect(parseToken(formatToken(given))).toEqual(given);
      }),
    );
  });

  it("has one spelling: changing any character gives another token or none", () => {
    fc.assert(
      fc.property(parts, fc.nat(), fc.constantFrom(..."AaZz09-_=+/. é"), (given, at, char) => {
        const token = formatToken(given);
        const index = at % token.length;
        const other = token.slice(0, index) + char + token.slice(index + 1);
        const parsed = parseToken(other);
        if (other === token) return;
        expect(parsed === null ? null : formatToken(parsed)).toBe(parsed === null ? null : other);
        expect(parsed).not.toEqual(given);
      }),
    );
  });

  it("is refused if it is longer or shorter", () => {
    fc.assert(
      fc.property(
        parts,
        fc.string({ minLength: 1, maxLength: 4 }),
        fc.nat(92),
        (given, more, at) => {
          const token = formatToken(given);
          expect(parseToken(token + more)).toBeNull();
          expect(parseToken(token.slice(0, at))).toBeNull();
          expect(parseToken(` ${token}`)).toBeNull();
        },
      ),
    );
  });

  it("carries at least 128 random bits and the known prefix", () => {
    expect(SECRET_BYTES * 8).toBeGreaterThanOrEqual(128);
    expect(TOKEN_PREFIX).toBe("rtok_");
  });
});

describe("ids", () => {
  it("turn an object id into a session id and back, in one spelling", () => {
    fc.assert(
      fc.property(objectIdHex, (hex) => {
        const id = sessionIdFromHex(hex);
        expect(objectIdHexOf(id)).toBe(hex);
        expect(objectIdHexOf(id.replace("ses_", "SES_"))).toBeNull();
        expect(objectIdHexOf(`${id}A`)).toBeNull();
        expect(objectIdHexOf(id.slice(0, -1))).toBeNull();
      }),
    );
  });

  it("number participants and handoffs from 1, without leading zeros", () => {
    expect(numberOf("par_7", "par_")).toBe(7);
    expect(numberOf("hnd_100", "hnd_")).toBe(100);
    for (const id of ["par_0", "par_07", "par_-1", "par_1e3", "par_", "hnd_7", "7", "par_1 "]) {
      expect(numberOf(id, "par_")).toBeNull();
    }
  });
});
