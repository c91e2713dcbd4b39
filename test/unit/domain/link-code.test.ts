import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codeFromBytes, parseCode } from "../../../src/domain/links/link-code";
import {
  afterMiss,
  FREE_MISSES,
  MISS_MEMORY_MS,
  NO_MISSES,
  waitMsOf,
} from "../../../src/domain/links/miss-limit";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const bytes = fc.uint8Array({ minLength: 8, maxLength: 8 });

describe("a link's code", () => {
  it("has thirteen characters in three groups and round-trips", () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const code = codeFromBytes(random);
        expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{5}$/);
        expect(parseCode(code)).toBe(code);
      }),
    );
  });

  it("encodes sixty bits: different bits give a different code", () => {
    fc.assert(
      fc.property(bytes, fc.nat(59), (random, bit) => {
        const other = Uint8Array.from(random);
        other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
        expect(codeFromBytes(other)).not.toBe(codeFromBytes(random));
      }),
    );
    expect(codeFromBytes(new Uint8Array(8))).toBe("0000-0000-00000");
    expect(codeFromBytes(new Uint8Array(8).fill(255)).slice(0, 13)).toBe("ZZZZ-ZZZZ-ZZZ");
  });

  it("is refused with any one character mistyped", () => {
    fc.assert(
      fc.property(bytes, fc.nat(12), fc.integer({ min: 1, max: 31 }), (random, at, step) => {
        const plain = codeFromBytes(random).replaceAll("-", "");
        const wrong = ALPHABET.charAt((ALPHABET.indexOf(plain.charAt(at)) + step) % 32);
        expect(parseCode(plain.slice(0, at) + wrong + plain.slice(at + 1))).toBeNull();
      }),
    );
  });

  it("is read with lower-case letters, spaces and commonly confused characters", () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const code = codeFromBytes(random);
        const typed = code
          .toLowerCase()
          .replaceAll("-", " ")
          .replaceAll("1", "l")
          .replaceAll("0", "o");
        expect(parseCode(typed)).toBe(code);
        expect(parseCode(typed.replaceAll("l", "I"))).toBe(code);
      }),
    );
  });

  it.each(["", "0000-0000-0000", "0000-0000-000000", "0000-0000-0000U", "../../etc/passw"])(
    "is not %s",
    (text) => {
      expect(parseCode(text)).toBeNull();
    },
  );
});

const afterMisses = (count: number, now = 1_000) =>
  Array.from({ length: count }).reduce<typeof NO_MISSES>(
    (misses) => afterMiss(misses, now),
    NO_MISSES,
  );

describe("misses", () => {
  it("cause no wait while they are few, then a wait that doubles up to an hour", () => {
    const waits = [FREE_MISSES - 1, FREE_MISSES, FREE_MISSES + 1, FREE_MISSES + 2, 100].map(
      (count) => waitMsOf(afterMisses(count), 1_000),
    );
    expect(waits).toEqual([0, 1_000, 2_000, 4_000, 3_600_000]);
  });

  it("are forgotten after a day without one", () => {
    const later = 1_000 + MISS_MEMORY_MS;
    expect(afterMiss(afterMisses(50), later).count).toBe(1);
    expect(afterMiss(afterMisses(50), later - 1).count).toBe(51);
  });
});
