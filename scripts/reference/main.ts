/** Writes the pages of docs that are generated from the code. A test fails if one is not up to date. */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { appendixOf, movedNames, type TestFiles } from "./clauses.ts";
import { errorsPage } from "./errors.ts";
import { eventsPage } from "./events.ts";

const ROOT = join(import.meta.dirname, "../..");
const APPENDIX = "docs/protocol-tests.md";
const read = (path: string): string =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : "";

/** All test files, sorted by path. */
export const testFiles = (): TestFiles =>
  new Map(
    globSync("test/**/*.test.ts", { cwd: ROOT })
      .map((path) => path.replaceAll("\\", "/"))
      .toSorted()
      .map((path) => [path, read(path)]),
  );

/** The generated pages by path, formatted as the repository requires. */
export async function writtenPages(): Promise<ReadonlyMap<string, string>> {
  const files = testFiles();
  const { protocol, changed } = movedNames(read("docs/protocol.md"), "", files);
  const pages = {
    "docs/errors.md": await errorsPage(protocol),
    "docs/events.md": eventsPage(),
    "docs/protocol.md": protocol,
    [APPENDIX]: appendixOf(protocol, new Map([...files, ...changed])),
  };
  const options = await resolveConfig(join(ROOT, "docs/events.md"));
  const formatted = Object.entries(pages).map(
    async ([path, text]) => [path, await format(text, { ...options, parser: "markdown" })] as const,
  );
  return new Map(await Promise.all(formatted));
}

/** Moves the test names in the protocol, or only in its appendix, into the test files. */
async function moveNames(): Promise<void> {
  const { changed } = movedNames(read("docs/protocol.md"), read(APPENDIX), testFiles());
  for (const [path, source] of changed) {
    const options = await resolveConfig(join(ROOT, path));
    writeFileSync(join(ROOT, path), await format(source, { ...options, parser: "typescript" }));
  }
}

if (import.meta.main) {
  await moveNames();
  for (const [path, text] of await writtenPages()) writeFileSync(join(ROOT, path), text);
}
