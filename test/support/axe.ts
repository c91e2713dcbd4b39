/** Accessibility problems that axe finds on a page. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The page itself filters the violations: transferring all passed rules took as long as finding them. */
const RUN = `axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, impact, nodes }) => ({ impact, issue: id + ": " + nodes[0].html })))`;

async function run(page: Page): Promise<readonly { impact: string; issue: string }[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  return page.evaluate(RUN);
}

export const axeIssues = async (page: Page): Promise<readonly string[]> =>
  (await run(page)).map(({ issue }) => issue);

export const seriousIssues = async (page: Page): Promise<readonly string[]> =>
  (await run(page))
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ issue }) => issue);
