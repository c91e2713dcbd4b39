/** A typed number is read by the rules of the page's language, or not at all. */
import { assert, constantFrom, double, integer, oneof, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { readNumber, writeNumber } from "../../../src/ui/form/number-text.ts";
import { LANGUAGES } from "../../../src/ui/words/index.ts";
import { drawn } from "../../support/scale.ts";

const languages = constantFrom(...Object.keys(LANGUAGES));
const numbers = oneof(
  integer(),
  double({ noNaN: true, noDefaultInfinity: true }),
  double({ min: -1e9, max: 1e9, noNaN: true }),
).map((number) => (Object.is(number, -0) ? 0 : number));

const READ: readonly (readonly [string, string, number])[] = [
  ["en", "1,250", 1250],
  ["en", "1.250", 1.25],
  ["en", "1,250.50", 1250.5],
  ["en", "$1,250", 1250],
  ["en", "-€5", -5],
  ["en", "€-5", -5],
  ["en", "1 250", 1250],
  ["en", "1250.50", 1250.5],
  ["en", "1'250'000", 1_250_000],
  ["en", ".5", 0.5],
  ["en", "12.", 12],
  ["en", "1e3", 1000],
  ["en", "1250 EUR", 1250],
  ["en", "9007199254740992", 9_007_199_254_740_992],
  ["en", "0000000000000000000007", 7],
  ["en", "9,007,199,254,740,992.00", 9_007_199_254_740_992],
  ["en", "3.14159265358979323846", Math.PI],
  ["en", "100,000,000,000,000,000,000,000", 1e23],
  ["en", "eur 1,250", 1250],
  ["de", "1.250", 1250],
  ["de", "12.500", 12_500],
  ["de", "50.000", 50_000],
  ["de", "1,25", 1.25],
  ["de", "1,250", 1.25],
  ["de", "1.250,50", 1250.5],
  ["de", "1.250 €", 1250],
  ["de", "1 250,50", 1250.5],
  ["de", "−3,5", -3.5],
  ["es", "1.250", 1250],
  ["es", "1250,5", 1250.5],
  ["es", "1.250,50", 1250.5],
  ["ar", "1,250", 1250],
  ["ar", "١٢٥٠", 1250],
  ["ar", "١٬٢٥٠٫٥", 1250.5],
  ["ar", "۱٬۲۵۰٫۵", 1250.5],
  ["ar", "1,250.5", 1250.5],
  ["en", "١٬٢٥٠٫٥", 1250.5],
  // Typed with the separators of another language, with only one possible meaning.
  ["en", "1,25", 1.25],
  ["en", "1250,50", 1250.5],
  ["en", "1.250,50", 1250.5],
  ["en", "1.250.000", 1_250_000],
  ["en", "1,2500", 1.25],
  ["de", "12.5", 12.5],
  ["de", "1.25", 1.25],
  ["de", "1,250.50", 1250.5],
  ["de", "1,250,000", 1_250_000],
  ["es", "0.5", 0.5],
  ["ar", "1.250,5", 1250.5],
];

const REFUSED: readonly (readonly [string, string])[] = [
  ["en", "1250,500"],
  ["en", ",250"],
  ["en", "1,,250"],
  ["en", "1 250,000"],
  ["en", "1,250 000"],
  ["en", "12 34"],
  ["de", "1250.500"],
  ["en", ""],
  ["en", "."],
  ["en", "€"],
  ["en", "-"],
  ["en", "--5"],
  ["en", "12k"],
  ["en", "12 apples"],
  ["en", "0x10"],
  ["en", "Infinity"],
  ["en", "1e999"],
  // Stored, they would be other numbers.
  ["en", "9007199254740993"],
  ["en", "9,007,199,254,740,993.00"],
  ["de", "4.111.111.111.111.111.111"],
];

describe("a typed number", () => {
  it.each(READ)("on a page in %s, %s is read", (language, text, number) => {
    expect(readNumber(text, language, "EUR")).toBe(number);
  });

  it.each(REFUSED)("on a page in %s, “%s” is not guessed at", (language, text) => {
    expect(readNumber(text, language, "EUR")).toBeNull();
  });

  it("is read back as its language prints it, also as money and with the digits of Arabic", () => {
    const styles = [
      {},
      { useGrouping: "always" },
      { useGrouping: false },
      { numberingSystem: "arab" },
      { style: "currency", currency: "EUR" },
      { style: "unit", unit: "kilogram", numberingSystem: "latn" },
    ] as const;
    assert(
      property(languages, numbers, constantFrom(...styles), (language, number, style) => {
        const format = (tag: string, options: object): string =>
          new Intl.NumberFormat(tag, { maximumFractionDigits: 9, ...options }).format(number);
        const printed = format(language, style);
        const currency = "currency" in style ? { minimumFractionDigits: 2 } : {};
        const plain = format("en", { useGrouping: false, ...currency });
        const unit = "unit" in style ? printed.replaceAll(/[^\p{L}]/gu, "") : "";
        expect(readNumber(printed, language, unit)).toBe(Number(plain) + 0);
      }),
      drawn(2000),
    );
  });

  it("is read back as the input shows it", () => {
    assert(
      property(languages, numbers, (language, number) => {
        expect(readNumber(writeNumber(number, language), language)).toBe(number);
      }),
      drawn(1000),
    );
  });

  it("has examples that its own page accepts", () => {
    for (const [language, { errors }] of Object.entries(LANGUAGES)) {
      const examples = errors.number.match(/\d[\d.,]*\d/g) ?? [];
      expect(examples.map((one) => readNumber(one, language))).toEqual([1250.5, 1250.5]);
    }
  });
});
