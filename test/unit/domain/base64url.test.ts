import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bytesToHex,
  decodeBase64url,
  encodeBase64url,
  hexToBytes,
} from "../../../src/domain/base64url";

const bytes = fc.uint8Array({ maxLength: 100 });
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

describe("base64url", () => {
  it("round-trips, and encodes as every other encoder does", () => {
    fc.assert(
      fc.property(bytes, (data) => {
        const text = encodeBase64url(data);
        expect(decodeBase64url(text)).toEqual(data);
        expect(text).toBe(Buffer.from(data).toString("base64url"));
      }),
    );
  });

  it("has one text per byte string: every text that decodes encodes to itself", () => {
    const nearly = fc.string({ unit: fc.constantFrom(...ALPHABET, "=", "+", "/", " ", "é") });
    fc.assert(
      fc.property(nearly, (text) => {
        const data = decodeBase64url(text);
        if (data !== null) expect(encodeBase64url(data)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("refuses a last character whose unused bits are not zero", () => {
    const spellings = [...ALPHABET].filter((last) => decodeBase64url(`A${last}`) !== null);
    expect(spellings).toEqual(["A", "Q", "g", "w"]);
  });

  it.each(["A", "AAAAA", "AA==", "AA+A", "AA/A", "AA A", "AA\n", "AAé", "\u0000AAA"])(
    "refuses %j",
    (text) => {
      expect(decodeBase64url(text)).toBeNull();
    },
  );

  it("turns hex into bytes and back", () => {
    fc.assert(
      fc.property(bytes, (data) => {
        expect(hexToBytes(bytesToHex(data))).toEqual(data);
      }),
    );
  });
});
