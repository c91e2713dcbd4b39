/** Tests that a page names as `test/… › "title"`, and the titles that a file has. */
import { readFileSync } from "node:fs";
import { titlesOf } from "../../scripts/reference/shown-clauses.ts";

export const namedTests = (text: string): readonly { file: string; title: string }[] =>
  [...text.matchAll(/`(test\/[\w./-]+\.test\.ts) › "(.+?)"`/g)].map(
    ([, file = "", title = ""]) => ({ file, title }),
  );

export const titlesIn = (path: string): readonly string[] => titlesOf(readFileSync(path, "utf8"));
