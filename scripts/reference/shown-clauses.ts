/**
 * Finds the clauses of docs/protocol.md that a test shows. A comment right above the test names them:
 *
 *   // Shows T-1, T-2.
 *   it("gives the next token with every write", …)
 *
 * The appendix of the protocol is generated from these lines.
 */
const IDS = "[A-Z]{1,2}-\\d+(?:, [A-Z]{1,2}-\\d+)*";
const MARK = new RegExp(`^([ \\t]*)// Shows (${IDS})\\.$`, "gm");
const MARK_AT_END = new RegExp(`^([ \\t]*)// Shows (${IDS})\\.\\n$`, "m");

/** The first argument of a call before a function: the title of a test or group. */
const TITLE =
  /\(\s*(["'`])((?:\\.|(?!\1).)*)\1,\s*(?:\{[^}]*\},\s*)?(?:async )?(?:\(|\w+ =>|function)/gs;

interface Titled {
  readonly title: string;
  /** The start of the line with the call's bracket. */
  readonly lineAt: number;
}

const titledIn = (source: string): readonly Titled[] =>
  [...source.matchAll(TITLE)].map(({ 2: title = "", index }) => ({
    title,
    lineAt: source.lastIndexOf("\n", index) + 1,
  }));

export const titlesOf = (source: string): readonly string[] =>
  titledIn(source).map(({ title }) => title);

/** The clauses by title, in the order of the file. A comment without a test below it is an error. */
export function shownIn(
  source: string,
): readonly { readonly title: string; readonly ids: readonly string[] }[] {
  const titled = titledIn(source);
  return [...source.matchAll(MARK)].map(({ 0: mark, 2: ids = "", index }) => {
    const below = titled.find(({ lineAt }) => lineAt > index);
    if (below === undefined) throw new Error(`no test stands below "${mark.trim()}"`);
    return { title: below.title, ids: ids.split(", ") };
  });
}

/** The file with the comment above the test, or null if it has no such test. */
export function markedWith(source: string, title: string, id: string): string | null {
  const found = titledIn(source).find((one) => one.title === title);
  if (found === undefined) return null;
  const before = source.slice(0, found.lineAt);
  const after = source.slice(found.lineAt);
  const above = before.slice(before.lastIndexOf("\n", before.length - 2) + 1);
  const [, indent, ids] = MARK_AT_END.exec(above) ?? [];
  if (ids !== undefined) {
    if (ids.split(", ").includes(id)) return source;
    const rest = before.slice(0, before.length - above.length);
    return `${rest}${indent}// Shows ${ids}, ${id}.\n${after}`;
  }
  const [spaces = ""] = /^[ \t]*/.exec(after) ?? [];
  return `${before}${spaces}// Shows ${id}.\n${after}`;
}
