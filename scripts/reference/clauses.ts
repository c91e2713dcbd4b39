/**
 * The clauses of docs/protocol.md and the tests that show them. Test files name the clauses they show
 * (shown-clauses.ts), and docs/protocol-tests.md is generated from that. A new clause may name its tests
 * right below it; `npm run docs:write` moves the names into the test files, so that the protocol stays
 * readable.
 */
import { markedWith, shownIn } from "./shown-clauses.ts";

interface Clause {
  readonly id: string;
  readonly text: string;
}

/** Sources of test files by their path. */
export type TestFiles = ReadonlyMap<string, string>;

/** A clause is a list item that starts with its number, up to the end of the item. */
const CLAUSE = /^- \*\*([A-Z]{1,2}-\d+)\*\* (.*(?:\n {2}.*)*)/gm;
const NAME = /`(test\/[\w./-]+\.test\.ts) › "(.+?)"`/g;

export const clausesIn = (protocol: string): readonly Clause[] =>
  [...protocol.matchAll(CLAUSE)].map(([, id = "", text = ""]) => ({ id, text }));

/** The names of the tests by the clause's number, from the test files. */
export function testsOfClauses(files: TestFiles): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const [file, source] of files) {
    for (const { title, ids } of shownIn(source)) {
      for (const id of ids) {
        names.set(id, [...(names.get(id) ?? []), `\`${file} › "${title}"\``]);
      }
    }
  }
  return names;
}

/** The appendix, generated from the test files. */
export function appendixOf(protocol: string, files: TestFiles): string {
  const names = testsOfClauses(files);
  const entries = clausesIn(protocol).map(
    ({ id }) => `- **${id}** ${[...new Set(names.get(id))].join("\n  ")}`,
  );
  return `${INTRODUCTION}\n${entries.join("\n")}\n`;
}

/**
 * Moves names of tests below clauses, in the protocol or in its appendix, into the test
 * files. Returns the protocol without them and the test files that changed.
 */
export function movedNames(
  protocol: string,
  appendix: string,
  files: TestFiles,
): { readonly protocol: string; readonly changed: TestFiles } {
  const changed = new Map<string, string>();
  for (const { id, text } of [...clausesIn(protocol), ...clausesIn(appendix)]) {
    for (const [, file = "", title = ""] of text.matchAll(NAME)) {
      const source = changed.get(file) ?? files.get(file);
      const marked = source === undefined ? null : markedWith(source, title, id);
      if (marked !== null && marked !== source) changed.set(file, marked);
    }
  }
  const without = protocol.replaceAll(CLAUSE, (whole, id: string, text: string) =>
    text.search(NAME) === -1 ? whole : `- **${id}** ${withoutNames(text)}`,
  );
  return { protocol: withContents(without), changed };
}

const withoutNames = (text: string): string =>
  text
    .replaceAll(NAME, "")
    .split("\n")
    .map((line) => line.replace(/[ ,;·]+$/, ""))
    .filter((line) => !/^[\s,;·]*$/.test(line))
    .join("\n");

/** The table of contents lists every section, in order. */
function withContents(protocol: string): string {
  const links = [...protocol.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => {
    const words = /^[A-Z]+$/.test(heading) ? heading : heading[0]?.toLowerCase() + heading.slice(1);
    const anchor = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "");
    return `[${words}](#${anchor.replaceAll(" ", "-")})`;
  });
  return protocol.replace(/^Contents: .*$/m, `Contents: ${links.join(" · ")}`);
}

const INTRODUCTION = `# Tests of the protocol

<!-- Written by \`npm run docs:write\` from the lines "// Shows T-1." above the tests in the test files. -->

At least one test shows each clause of [the protocol](protocol.md). This page lists the tests by the number of the clause. It is made from the test files, which name the clause above each test. A test checks that the page is up to date, and that every clause has a test.
`;
