import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");

const sectionOf = (title: string): string =>
  page.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? "";

const WALKS = ["One request from socket to disk and back", "One event from commit to a listener"];

const steps = WALKS.flatMap((title) =>
  [...sectionOf(title).matchAll(/^\d+\. .*$/gm)].map(
    ([step]) => [`${title}, ${step.slice(0, 60)}`, step] as const,
  ),
);

const filesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`(src\/[^`]+)`/g)].map(([, path = ""]) => path);

/** Whether the source defines a function or a method of this name. A constant does not count. */
const defines = (source: string, name: string): boolean =>
  new RegExp(
    [
      `^(?:export )?(?:async )?function ${name}\\b`,
      `^  (?:override )?(?:async )?${name}[(<]`,
      `^(?:export )?const ${name} = (?:async )?(?:\\w+ =>|[(<](?:.|\\n)*?=>)`,
    ].join("|"),
    "m",
  ).test(source);

/** Rows of the table that names where each behaviour is decided. */
const decided = [
  ...sectionOf("Where is it decided?").matchAll(
    /^\| (.+?) +\| `(#?\w+)\(\)` +\| `(src\/[^`]+)` +\|$/gm,
  ),
].map(([, question = "", name = "", path = ""]) => [question, name, path] as const);

describe("docs/architecture.md", () => {
  it.each([
    ["function decide(a: A): B {", true],
    ["export async function decide(a: A): Promise<B> {", true],
    ["export const decide = (a: A): boolean => a.is;", true],
    ["const decide = async <T>(\n  a: T,\n): Promise<T> => a;", true],
    ["  async decide<T>(a: T): Promise<T> {", true],
    ['const decide: Failure = { code: "gone" };', false],
    ["const decide = new Set([1]);", false],
    ["  return decide(a);", false],
  ])("recognizes the definition of a function: %j %s", (source, isFunction) => {
    expect(defines(source, "decide")).toBe(isFunction);
  });

  it("answers at least twenty questions, each once", () => {
    const questions = new Set(decided.map(([question]) => question));
    expect(questions.size).toBeGreaterThanOrEqual(20);
    expect(questions.size).toBe(decided.length);
  });

  it.each(decided)("names a function that exists for: %s", (_question, name, path) => {
    expect(defines(readFileSync(join(ROOT, path), "utf8"), name)).toBe(true);
  });

  it("names at most twenty files on the path of a PATCH", () => {
    expect(
      new Set(filesIn(sectionOf(WALKS[0] ?? "").split("A refusal in step")[0] ?? "")).size,
    ).toBeLessThanOrEqual(20);
  });

  it("names every folder of src in its table, and no other", () => {
    const rows = [...page.matchAll(/^\| `([\w-]+)\/` /gm)].map(([, folder]) => folder);
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(rows.toSorted()).toEqual(folders.toSorted());
  });

  it("describes each path in steps", () => {
    for (const title of WALKS) {
      expect(steps.filter(([name]) => name.startsWith(title)).length).toBeGreaterThan(5);
    }
  });

  it.each(steps)("names files that exist: %s", (_name, step) => {
    const paths = filesIn(step);
    expect(paths).not.toEqual([]);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each(steps)("names functions of those files: %s", (_name, step) => {
    const sources = filesIn(step).map((path) => readFileSync(join(ROOT, path), "utf8"));
    const names = [...step.matchAll(/`(#?\w+)\(\)`/g)].map(([, name = ""]) => name);
    const missing = names.filter((name) => !sources.some((source) => defines(source, name)));
    expect(missing).toEqual([]);
  });
});
