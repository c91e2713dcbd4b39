/**
 * The TypeScript and JavaScript programs of all documents, as files of a strict project. A block
 * without an import continues the block before it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, documents } from "./blocks.ts";

export interface DocsProgram {
  /** A file name that contains its location in the document. */
  readonly name: string;
  readonly text: string;
  /** Packages that it imports, without Node's own modules. */
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

/** Writes a strict project of these programs into a folder that contains their packages. */
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
    // Skips third-party declarations. Ours are checked in a program of their own.
    skipLibCheck: true,
    noEmit: true,
    typeRoots,
    types: typeRoots.length === 0 ? [] : ["node"],
  };
  const files = programs.map(({ name }) => name);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
}
