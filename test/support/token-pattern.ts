/** The published regular expression for tokens, as scanners use it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const RULES = readFileSync(join(import.meta.dirname, "../../docs/secret-scanning.toml"), "utf8");
const [, source] = /^regex = '''(.*)'''$/m.exec(RULES) ?? [];
if (source === undefined) throw new Error("docs/secret-scanning.toml has no expression");

/** Finds tokens in a text. Two tokens that share a separator are both found. */
export function tokensIn(text: string): readonly string[] {
  const pattern = new RegExp(source ?? "", "g");
  const found: string[] = [];
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match[1] ?? "");
    pattern.lastIndex = Math.max(pattern.lastIndex - 1, match.index + 1);
  }
  return found;
}
