/** Writes the pages of docs that are made from the code. A test fails where one is not up to date. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { movedTests } from "./clauses.ts";
import { errorsPage } from "./errors.ts";
import { eventsPage } from "./events.ts";

const ROOT = join(import.meta.dirname, "../..");
const APPENDIX = "docs/protocol-tests.md";
const read = (path: string): string =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : "";

/** By their path in the repository; as the house formats them. */
export async function writtenPages(): Promise<ReadonlyMap<string, string>> {
  const { protocol, appendix } = movedTests(read("docs/protocol.md"), read(APPENDIX));
  const pages = {
    "docs/errors.md": await errorsPage(protocol),
    "docs/events.md": eventsPage(),
    "docs/protocol.md": protocol,
    [APPENDIX]: appendix,
  };
  const options = await resolveConfig(join(ROOT, "docs/events.md"));
  const formatted = Object.entries(pages).map(
    async ([path, text]) => [path, await format(text, { ...options, parser: "markdown" })] as const,
  );
  return new Map(await Promise.all(formatted));
}

if (import.meta.main) {
  for (const [path, text] of await writtenPages()) writeFileSync(join(ROOT, path), text);
}
