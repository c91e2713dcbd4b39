import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chartsOf } from "../../../scripts/bench/charts.ts";
import type { CountedWork } from "../../../scripts/bench/cost-report.ts";
import { blockIn, blocksOf } from "../../../scripts/bench/report.ts";
import type { Result } from "../../../scripts/bench/result.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const page = read("docs/performance.md");
const result = JSON.parse(read("docs/performance/results.json")) as Result;
const counted = JSON.parse(read("scripts/bench/counted-work.json")) as CountedWork;
const blocks = Object.entries(blocksOf(result, counted));

/** Removes what a formatter changes in tables. */
const plain = (text: string): string =>
  text
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/-+/g, "-")
    .replaceAll(/ ?\| ?/g, "|");

describe("docs/performance.md", () => {
  it.each(blocks)("describes %s as the stored results and counts do", (name, text) => {
    expect(plain(blockIn(page, name) ?? "missing")).toBe(plain(text ?? ""));
  });

  it.each(Object.entries(chartsOf(result)))(
    "shows %s as drawn from the stored results",
    (name, svg) => {
      expect(read(`docs/performance/${name}`)).toBe(svg);
    },
  );
});
