/**
 * Puts a run into docs/performance.md: its numbers beside the page, its charts, and the generated parts
 * of the text. What the run did not measure stays as it was.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { chartsOf } from "./charts.ts";
import type { Row } from "./compare.ts";
import type { CountedWork } from "./cost-report.ts";
import { blocksOf, withBlock } from "./report.ts";
import { shortened, type Result } from "./result.ts";
import { WORKLOADS } from "./workloads.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = join(ROOT, "docs/performance.md");
const FOLDER = join(ROOT, "docs/performance");
const RESULTS = join(FOLDER, "results.json");

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;

function merged(before: Result | null, now: Result): Result {
  const byName = new Map<string, Row>();
  for (const row of [...(before?.rows ?? []), ...now.rows]) byName.set(row.name, row);
  const rows = WORKLOADS.flatMap(({ name }) => byName.get(name) ?? []);
  return { ...before, ...now, rows };
}

export async function writeDocs(run: Result): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const before = existsSync(RESULTS) ? readJson<Result>(RESULTS) : null;
  // Through JSON, so that what is drawn now is what is drawn from the kept file later.
  const kept = JSON.stringify(merged(before, run), shortened, 2);
  const result = JSON.parse(kept) as Result;
  writeFileSync(RESULTS, await format(kept, { parser: "json", printWidth: 100 }));
  for (const [name, svg] of Object.entries(chartsOf(result))) {
    writeFileSync(join(FOLDER, name), svg);
  }
  const counted = readJson<CountedWork>(join(import.meta.dirname, "counted-work.json"));
  let page = readFileSync(PAGE, "utf8");
  for (const [name, text] of Object.entries(blocksOf(result, counted))) {
    if (text !== null) page = withBlock(page, name, text);
  }
  writeFileSync(PAGE, await format(page, { parser: "markdown", printWidth: 100 }));
  console.log("Wrote docs/performance.md.");
}
