/**
 * Writes a run into docs/performance.md: its numbers, its charts, and the generated parts of the text.
 * Parts that the run did not measure stay unchanged.
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

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;

function merged(before: Result | null, now: Result): Result {
  const byName = new Map<string, Row>();
  for (const row of [...(before?.rows ?? []), ...now.rows]) byName.set(row.name, row);
  const rows = WORKLOADS.flatMap(({ name }) => byName.get(name) ?? []);
  return { ...before, ...now, rows };
}

/** Writes into the page's folder, with its numbers and charts in a subfolder. */
export async function writeDocs(run: Result, docs: string): Promise<void> {
  const page = join(docs, "performance.md");
  const folder = join(docs, "performance");
  const results = join(folder, "results.json");
  mkdirSync(folder, { recursive: true });
  const before = existsSync(results) ? readJson<Result>(results) : null;
  // Through JSON, so that the result is the same as from the stored file later.
  const stored = JSON.stringify(merged(before, run), shortened, 2);
  const result = JSON.parse(stored) as Result;
  writeFileSync(results, await format(stored, { parser: "json", printWidth: 100 }));
  for (const [name, svg] of Object.entries(chartsOf(result))) {
    writeFileSync(join(folder, name), svg);
  }
  const counted = readJson<CountedWork>(join(import.meta.dirname, "counted-work.json"));
  let text = readFileSync(page, "utf8");
  for (const [name, block] of Object.entries(blocksOf(result, counted))) {
    if (block !== null) text = withBlock(text, name, block);
  }
  writeFileSync(page, await format(text, { parser: "markdown", printWidth: 100 }));
}
