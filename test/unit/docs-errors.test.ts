import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writtenPages } from "../../scripts/reference/main.ts";
import { DOCS_PAGES } from "../../scripts/site/pages.ts";
import { problemSchema, STATUS, toProblem } from "../../src/protocol/problem.ts";
import { SAMPLE_FAILURES } from "../../src/protocol/sample-failures.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/errors.md"), "utf8");
const sections = page.split(/^## /m).slice(1);

describe("docs/errors.md", () => {
  it("is what `npm run docs:write` writes", async () => {
    expect(page).toBe((await writtenPages()).get("docs/errors.md"));
  });

  it("has the section that the `type` of each error links to", () => {
    const headings = sections.map((section) => section.split("\n")[0]);
    const types = Object.values(SAMPLE_FAILURES).map((failure) => toProblem(failure).type);

    expect(headings.toSorted()).toEqual(Object.keys(STATUS).toSorted());
    expect(types.toSorted()).toEqual(headings.map((code) => `/docs/errors#${code}`).toSorted());
    expect(DOCS_PAGES.map(({ path }) => path)).toContain("errors");
  });

  it("shows for each code its status, what to do, and a valid example", () => {
    for (const section of sections) {
      const example = /```json\n([^]+?)\n```/.exec(section)?.[1] ?? "null";
      const problem = problemSchema.strict().parse(JSON.parse(example));

      expect(section.startsWith(`${problem.code}\n`), section).toBe(true);
      expect(section).toContain(`Status ${STATUS[problem.code]}. Returned when `);
      expect(section).toContain(`**${problem.title}.**`);
      for (const action of problem.nextActions) expect(section).toContain(action);
    }
  });
});
