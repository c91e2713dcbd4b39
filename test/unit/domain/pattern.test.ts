import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stepBudget, isExhausted } from "../../../src/json-schema/step-budget";
import { compilePattern, matchesPattern } from "../../../src/json-schema/pattern";
import { drawn } from "../../support/scale";

const STEPS = 1_000_000;

function matches(source: string, text: string, steps = STEPS): boolean | "spent" {
  const pattern = compilePattern(source);
  if (typeof pattern === "string") throw new Error(`${source} ${pattern}`);
  const effort = stepBudget(steps);
  const isMatch = matchesPattern(pattern, text, effort);
  return isExhausted(effort) ? "spent" : isMatch;
}

const ORDINARY = [
  "^[A-Z]{2}\\d{6}$",
  "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$",
  "^[a-z0-9]+(-[a-z0-9]+)*$",
  "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$",
  "^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$",
  "^(?=.*\\d)(?=.*[a-z])(?!.*\\s).{8,64}$",
  "^\\p{Lu}\\p{L}*$",
  "\\bfoo\\b|\\Bbar",
  "^(?<year>\\d+)[/.-](?<rest>[^]*?)$",
  "[\\]\\\\^-]",
  "^\\u{1F600}|\\uD83D\\uDE01|\\x41|\\cJ|\\0$",
  "a|",
  "",
  "(a+)+$",
  "^(a|a)*$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
];

describe("a pattern", () => {
  const unit = fc.constantFrom(
    ..."aAbz09 .-@/_\n😀😁é\u0000",
    "foo",
    "bar",
    "2026-01-31",
    "a@b.co",
  );

  it("matches like the platform's RegExp for common patterns", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ORDINARY),
        fc.array(unit, { maxLength: 12 }),
        (source, parts) => {
          const text = parts.join("");
          expect(matches(source, text), `${source} on ${JSON.stringify(text)}`).toBe(
            new RegExp(source, "u").test(text),
          );
        },
      ),
      drawn(3_000),
    );
  });

  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\w", "\\b", "\\B", "^", "$", "\\d"),
      fc
        .tuple(tie("tree"), fc.constantFrom("*", "+", "?", "*?", "{2}", "{0,2}", "{1,}", "{0}"))
        .map(([part, quantifier]) => `(?:${part})${quantifier}`),
      fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => `(${a}|${b})`),
      fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => a + b),
      tie("tree").map((part) => `(?=${part})`),
      tie("tree").map((part) => `(?!${part})`),
    ),
  }));

  // No surrogate pairs here: V8 also finds empty matches between their halves.
  it("matches like the platform's RegExp for any generated pattern", () => {
    fc.assert(
      fc.property(
        tree.filter((source) => source.length < 60),
        fc.string({ unit: fc.constantFrom("a", "b", "1", " ", "é"), maxLength: 6 }),
        (source, text) => {
          expect(matches(source, text), `${source} on ${JSON.stringify(text)}`).toBe(
            new RegExp(source, "u").test(text),
          );
        },
      ),
      drawn(5_000),
    );
  });

  it.each(["(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(([a-z])+.)+[A-Z]$", "^(.*a){12}$", "(x+x+)+y"])(
    "takes work linear in the length of the text: %s",
    (source) => {
      const work = (length: number): number => {
        const effort = stepBudget(STEPS);
        const pattern = compilePattern(source);
        if (typeof pattern === "string") throw new Error(pattern);
        matchesPattern(pattern, `${"a".repeat(length)}!`, effort);
        return STEPS - effort.left;
      };
      expect(work(2_000)).toBeLessThan(2.2 * work(1_000));
    },
  );

  it("stops when the step budget is spent", () => {
    expect(matches("^a+$", "a".repeat(1_000), 100)).toBe("spent");
    expect(matches("^(?=(?=a*$)a*$)a*!$", "a".repeat(5_000))).toBe(false);
    expect(matches("(?:(?=a*!)a)*!", "a".repeat(5_000))).toBe("spent");
  });

  it.each([
    ["(a)\\1", "a backreference"],
    ["(?<x>a)\\k<x>", "a backreference"],
    ["(?<=a)b", "a look behind"],
    ["(?<!a)b", "a look behind"],
    ["(?i:a)", "a change of flags"],
    ["(", "is not a regular expression"],
    ["a{10001}", "is longer than 10000 steps"],
    ["((a{100}){100}){100}", "is longer than 10000 steps"],
  ])("%s is refused: %s", (source, message) => {
    expect(compilePattern(source)).toContain(message);
  });
});
