import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partsOf, Utf8Pieces } from "../../src/gateway/utf8-pieces";

/** From nothing to longer than a part, of characters of one to four bytes. */
const text = fc
  .tuple(
    fc.string({ unit: fc.constantFrom("a", "\n", "é", "€", "🙂") }),
    fc.constantFrom(0, 1, 5_000, 40_000),
  )
  .map(([once, times]) => once + once.repeat(times).slice(0, 150_000))
  .map((long) => long.toWellFormed());

describe("texts that become one sequence of bytes", () => {
  it("are the bytes of the texts one after the other, whatever their length and characters", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
        const pieces = new Utf8Pieces();
        for (const one of texts) pieces.add(one);
        const whole = texts.join("");
        expect(pieces.length).toBe(whole.length);
        expect(Buffer.from(pieces.encode()).equals(Buffer.from(whole))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("grow the buffer if characters are longer than expected, however late they come", () => {
    const pieces = new Utf8Pieces();
    const texts = ["a".repeat(100_000), "€".repeat(100_000), "b".repeat(100_000), "🙂".repeat(9)];
    for (const one of texts) pieces.add(one);
    expect(new TextDecoder().decode(pieces.encode())).toBe(texts.join(""));
  });
});

describe("the parts of lines", () => {
  it("are whole lines, all of them in their order", () => {
    const line = fc.constantFrom(1, 80, 5_000, 70_000).map((length) => "x".repeat(length));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 60 }), (lines) => {
        const parts = [...partsOf(lines.join("\n"))];
        expect(parts.flatMap((part) => part.split("\n"))).toEqual(lines);
        const longest = Math.max(...parts.map((part) => part.length));
        expect(longest).toBeLessThanOrEqual(64 * 1024 + 70_000);
      }),
    );
  });
});
