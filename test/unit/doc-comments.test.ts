/** The doc comments that an editor shows when it completes a name of the package. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { countComments } from "../support/docs/comments.ts";

const ROOT = join(import.meta.dirname, "../..");
const SRC = join(ROOT, "src");

const isEntry = (file: string): boolean => !file.endsWith(".d.ts");

it("every export of the package and every member of it has a doc comment", () => {
  const text = readFileSync(join(ROOT, "tsconfig.package.json"), "utf8");
  const { files } = JSON.parse(text) as { files: readonly string[] };
  const sources = files.map((file) => file.replace(/^src\//, ""));
  const { documented, bare } = countComments(
    SRC,
    sources.filter(isEntry),
    sources.filter((file) => !isEntry(file)),
  );
  expect(bare).toEqual([]);
  expect(documented).toBeGreaterThan(1_000);
});

it("a name without a comment is found wherever it is declared", () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "baton-bare-"));
  const source = `/** Documented. */
export class Documented {
  /** Documented. */
  one = 1;
  two = 2;
  #three = 3;
  static four = 4;
}
/** Documented. */
export type Union = {
  /** Documented. */
  readonly five: 5;
} | { readonly six: 6 };
export const seven = 7;`;
  writeFileSync(join(folder, "it.ts"), source);
  const { documented, bare } = countComments(folder, ["it.ts"]);
  rmSync(folder, { recursive: true });
  const found = ["Documented.two", "Documented.four", "Union.six", "seven"].map(
    (name) => `it.ts: ${name}`,
  );
  expect([documented, bare.toSorted()]).toEqual([4, found.toSorted()]);
});
