/** Holds the names of types, files and folders to docs/glossary.md. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const glossary = readFileSync(join(ROOT, "docs/glossary.md"), "utf8");

const rowsOf = (title: string): readonly (readonly [string, string])[] => {
  const section = glossary.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? "";
  return [...section.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)]
    .map(([, first = "", second = ""]) => [first, second] as const)
    .filter(([first]) => !/^(?:-+|word|retired)$/.test(first));
};

/** A retired term may have two words: then they must stand next to each other. */
const retired = rowsOf("Retired words").flatMap(([terms]) => terms.split(", "));

const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replaceAll(/[^A-Za-z0-9]+/g, " ")
    .toLowerCase()
    .trim();

const retiredIn = (name: string): readonly string[] =>
  retired.filter((term) => ` ${wordsOf(name)} `.includes(` ${term} `));

const typesIn = (source: string): readonly string[] =>
  [
    ...source.matchAll(
      /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:class|interface|type) (\w+)/gm,
    ),
  ].map(([, name = ""]) => name);

const files = ["src", "test", "scripts"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).map((entry) => ({
    path: relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join("/"),
    source:
      entry.isFile() && /\.(?:tsx?|mjs)$/.test(entry.name)
        ? readFileSync(join(entry.parentPath, entry.name), "utf8")
        : "",
  })),
);

describe("the names of the code", () => {
  it("contain no retired word in a file or a folder", () => {
    const wrong = files.flatMap(({ path }) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      return retiredIn(name).map((term) => `${path}: ${term}`);
    });
    expect(wrong).toEqual([]);
  });

  it("contain no retired word in a type", () => {
    const wrong = files.flatMap(({ path, source }) =>
      typesIn(source).flatMap((name) => retiredIn(name).map((term) => `${path} ${name}: ${term}`)),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ["SessionRoom", ["room"]],
    ["due-work.ts", ["due work"]],
    ["dueWork", ["due work"]],
    ["HTTPDoor", ["door"]],
    ["Roomy", []],
    ["work-due", []],
  ])("are split into words: %s", (name, found) => {
    expect(retiredIn(name)).toEqual(found);
  });
});

describe("docs/glossary.md", () => {
  it("gives each word one meaning, and no word that is retired", () => {
    const words = [...rowsOf("Words a user meets"), ...rowsOf("Words of the code")].flatMap(
      ([terms]) => terms.split(", "),
    );
    expect(words.length).toBeGreaterThan(80);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
    expect(words.filter((word) => retired.includes(word))).toEqual([]);
  });
});
