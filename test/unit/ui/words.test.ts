/** Every language has every text: one that is missing in a language fails here. */
import { describe, expect, it } from "vitest";
import { LANGUAGES, languageOf } from "../../../src/ui/words/index.ts";
import { en } from "../../../src/ui/words/en.ts";

/** Every text by its path. A function is called with marks as arguments. */
function wordsIn(value: unknown, path = ""): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") {
    const marks = Array.from({ length: value.length }, (_, index) => `<${index}>`);
    return [[path, String((value as (...given: string[]) => string)(...marks))]];
  }
  return Object.entries(value as object).flatMap(([key, one]) => wordsIn(one, `${path}/${key}`));
}

/** The same in every language, because they are names. */
const NAMES =
  /^\/(product|kinds\/system|direction)$|\/(item|token)$|^\/typing\/label$|\/(no|entryName|optional)$/;

const hasMarks = (text: string | undefined): boolean => /<\d>/.test(text ?? "");

describe.each(Object.entries(LANGUAGES))("%s", (tag, words) => {
  const english = new Map(wordsIn(en));
  const mine = new Map(wordsIn(words));

  it("has every text, none of them empty, and no other", () => {
    expect([...mine.keys()].sort()).toEqual([...english.keys()].sort());
    expect([...mine].filter(([, text]) => text.trim() === "")).toEqual([]);
  });

  it("contains the arguments of its texts", () => {
    const silent = [...mine].filter(([key, text]) => hasMarks(english.get(key)) && !hasMarks(text));
    expect(silent).toEqual([]);
  });

  it("is not left in English", () => {
    if (tag === "en") return;
    const untranslated = [...mine].filter(
      ([key, text]) => text === english.get(key) && !NAMES.test(key),
    );
    expect(untranslated).toEqual([]);
  });
});

const of = (headers: Record<string, string>, query = "") =>
  languageOf(new Request(`http://baton.test/h${query}`, { headers }));

describe("the reader's language", () => {
  it("is what was chosen, then what the browser requests, then English", () => {
    expect(of({ "Accept-Language": "fr-CH, de;q=0.8, es;q=0.9" })).toBe("es");
    expect(of({ "Accept-Language": "es", Cookie: "a=b; baton-language=ar" })).toBe("ar");
    expect(of({ Cookie: "baton-language=ar" }, "?lang=de")).toBe("de");
    expect(of({}, "?lang=xx")).toBe("en");
  });
});
