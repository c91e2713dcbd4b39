/**
 * The programs in TypeScript and JavaScript of all documents, as a reader puts them into files of a
 * strict project: a block without an import goes on with the block before it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, documents } from "./blocks.ts";

export interface DocsProgram {
  /** A file name that tells where it stands. */
  readonly name: string;
  readonly text: string;
  /** Packages that it imports, without the parts of Node. */
  readonly packages: readonly string[];
}

const LANGUAGES = new Set(["ts", "js", "mjs"]);
const IMPORT = /^import .*? from "([^"]+)"/gms;

export function docsPrograms(): readonly DocsProgram[] {
  return documents.flatMap((file) => {
    const texts: { line: number; text: string }[] = [];
    for (const { line, language, text } of blocksOf(file)) {
      if (!LANGUAGES.has(language)) continue;
      const last = texts.at(-1);
      if (/^import /m.test(text) || last === undefined) texts.push({ line, text });
      else last.text += `\n${text}`;
    }
    return texts.map(({ line, text }) => ({
      name: `${file.replaceAll(/\W/g, "-")}-${line}.ts`,
      text: `${text}\nexport {};\n`,
      packages: [...text.matchAll(IMPORT)]
        .map(([, from = ""]) => packageOf(from))
        .filter((name) => !name.startsWith("node:")),
    }));
  });
}

const packageOf = (from: string): string =>
  from
    .split("/")
    .slice(0, from.startsWith("@") ? 2 : 1)
    .join("/");

/** Writes a strict project of these programs into a folder that has their packages. */
export function writeStrictProject(
  folder: string,
  programs: readonly DocsProgram[],
  typeRoots: readonly string[],
  lib: readonly string[] = ["es2023", "esnext.disposable"],
): void {
  for (const { name, text } of programs) writeFileSync(join(folder, name), text);
  const compilerOptions = {
    module: "nodenext",
    target: "es2023",
    lib,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitOverride: true,
    verbatimModuleSyntax: true,
    // Of others' declarations; ours are checked by a program that has only ours.
    skipLibCheck: true,
    noEmit: true,
    typeRoots,
    types: typeRoots.length === 0 ? [] : ["node"],
  };
  const files = programs.map(({ name }) => name);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
}
