/**
 * The clauses of docs/protocol.md and the tests that show them. Whoever adds a clause names its tests
 * right below it; `npm run docs:write` moves the names to docs/protocol-tests.md, so that the protocol
 * reads as a text.
 */
export interface Clause {
  readonly id: string;
  readonly text: string;
}

/** A clause is a list item that begins with its number, up to the end of the item. */
const CLAUSE = /^- \*\*([A-Z]{1,2}-\d+)\*\* (.*(?:\n {2}.*)*)/gm;
const NAME = /`(test\/[\w./-]+\.test\.ts) › "(.+?)"`/g;

export const clausesIn = (protocol: string): readonly Clause[] =>
  [...protocol.matchAll(CLAUSE)].map(([, id = "", text = ""]) => ({ id, text }));

const namesIn = (text: string): readonly string[] => [...text.matchAll(NAME)].map(([name]) => name);

/** By the clause's number, as the appendix lists them. */
export const listedTests = (appendix: string): ReadonlyMap<string, readonly string[]> =>
  new Map(clausesIn(appendix).map(({ id, text }) => [id, namesIn(text)]));

/** The protocol without the names, and the appendix with them. */
export function movedTests(
  protocol: string,
  appendix: string,
): { readonly protocol: string; readonly appendix: string } {
  const listed = listedTests(appendix);
  const entries = clausesIn(protocol).map(({ id, text }) => {
    const names = [...new Set([...(listed.get(id) ?? []), ...namesIn(text)])];
    return `- **${id}** ${names.join("\n  ")}`;
  });
  const without = protocol.replaceAll(CLAUSE, (whole, id: string, text: string) =>
    namesIn(text).length === 0 ? whole : `- **${id}** ${withoutNames(text)}`,
  );
  return { protocol: withContents(without), appendix: `${INTRODUCTION}\n${entries.join("\n")}\n` };
}

const withoutNames = (text: string): string =>
  text
    .replaceAll(NAME, "")
    .split("\n")
    .map((line) => line.replace(/[ ,;·]+$/, ""))
    .filter((line) => !/^[\s,;·]*$/.test(line))
    .join("\n");

/** The contents name every section, in order. */
function withContents(protocol: string): string {
  const links = [...protocol.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => {
    const words = /^[A-Z]+$/.test(heading) ? heading : heading[0]?.toLowerCase() + heading.slice(1);
    const anchor = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "");
    return `[${words}](#${anchor.replaceAll(" ", "-")})`;
  });
  return protocol.replace(/^Contents: .*$/m, `Contents: ${links.join(" · ")}`);
}

const INTRODUCTION = `# Tests of the protocol

<!-- Written by \`npm run docs:write\`: name the tests of a new clause below it in protocol.md, and they are moved here. -->

Each clause of [the protocol](protocol.md) is shown by at least one test. This page lists them by the number of the clause. A test checks that every clause has an entry here, that every entry belongs to a clause, and that every test exists under its title.
`;
