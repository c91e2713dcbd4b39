/**
 * Any schema becomes a form: no page fails, a form refuses no value that its schema accepts, and
 * every generated value comes back unchanged. `npm run schema-suite -- <checkout>` runs the public
 * suite.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startBrowser } from "../support/device.ts";
import { generatedCases, keywordCases } from "../support/schema-corpus/every-keyword.ts";
import { suiteCases, type Case } from "../support/schema-corpus/suite.ts";
import { walk, type WalkResult } from "../support/schema-corpus/walk.ts";
import { sharedServer } from "../support/server.ts";

const SUITE = process.env["BATON_SCHEMA_SUITE"];
const GENERATED = Number(process.env["BATON_SCHEMA_CASES"] ?? 40);
const SEED = Number(process.env["BATON_SCHEMA_SEED"] ?? 20261119);
const CONCURRENCY = 8;
/** The timeout for the runs of `npm run schema-suite`. */
const LONG = { timeout: 3_600_000 };

const server = sharedServer();
let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await startBrowser();
  page = await browser.newPage();
});
afterAll(async () => {
  await browser.close();
});

/** The problems, and the count of each outcome. */
async function walkAll(cases: readonly Case[]) {
  const queue = [...cases];
  const counts = new Map<WalkResult["outcome"], number>();
  const found: string[] = [];
  const refused: string[] = [];
  const next = async (): Promise<void> => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const { outcome, why } = await walk(server, page, one);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      if (outcome === "failed") found.push(`${one.name}: ${why} · ${JSON.stringify(one.schema)}`);
      if (outcome.startsWith("refused")) refused.push(`${one.name}: ${why}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, next));
  return { counts: Object.fromEntries(counts), found, refused };
}

it("each keyword of JSON Schema 2020-12", async () => {
  const { found, refused } = await walkAll(keywordCases());
  expect({ found, refused }).toEqual({ found: [], refused: [] });
});

it("generated schemas of our own", LONG, async () => {
  const { counts, found } = await walkAll(generatedCases(GENERATED, SEED));
  expect(found).toEqual([]);
  expect(counts["answered"]).toBeGreaterThan(GENERATED / 2);
});

if (SUITE !== undefined) {
  it("the public JSON Schema test suite", LONG, async () => {
    const { counts, found, refused } = await walkAll(suiteCases(SUITE));
    console.log(JSON.stringify({ counts, refused }, null, 1));
    expect(found).toEqual([]);
  });
}
