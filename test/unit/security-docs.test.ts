import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { namedTests, titlesIn } from "./named-tests.ts";

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "docs/security.md"), "utf8");
const threats = [...page.matchAll(/^- \*\*SE-(\d+)\*\* (.*)$/gm)].map(([, id = "", text = ""]) => ({
  id: Number(id),
  text,
}));

describe("docs/security.md", () => {
  it("numbers its threats without a gap, and names for each a test that covers it", () => {
    expect(threats.map(({ id }) => id)).toEqual(threats.map((_, index) => index + 1));
    expect(threats.length).toBeGreaterThan(20);
    expect(threats.filter(({ text }) => namedTests(text).length === 0)).toEqual([]);
  });

  it("names no test that does not exist under that title", () => {
    const missing = namedTests(page).filter(
      ({ file, title }) =>
        !existsSync(join(ROOT, file)) || !titlesIn(join(ROOT, file)).includes(title),
    );
    expect(missing).toEqual([]);
  });
});
