/** Tests that a page names as `test/… › "title"`, and the titles that a file has. */
import { readFileSync } from "node:fs";

export const namedTests = (text: string): readonly { file: string; title: string }[] =>
  [...text.matchAll(/`(test\/[\w./-]+\.test\.ts) › "(.+?)"`/g)].map(
    ([, file = "", title = ""]) => ({ file, title }),
  );

/** What stands first in a call, before a function: titles of tests and of groups of them. */
export function titlesIn(path: string): readonly string[] {
  const calls =
    /\(\s*(["'`])((?:\\.|(?!\1).)*)\1,\s*(?:\{[^}]*\},\s*)?(?:async )?(?:\(|\w+ =>|function)/gs;
  return [...readFileSync(path, "utf8").matchAll(calls)].map(([, , title = ""]) => title);
}
