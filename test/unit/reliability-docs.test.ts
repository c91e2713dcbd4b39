import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const page = read("docs/reliability.md");

it("docs/reliability.md names only tests that exist, with the titles in their files", () => {
  const named = [...page.matchAll(/`(test\/[\w./-]+\.test\.ts)(?: › "(.+?)")?`/g)];
  const missing = named
    .filter(
      ([, file = "", title = ""]) => !existsSync(join(ROOT, file)) || !read(file).includes(title),
    )
    .map(([found]) => found);

  expect(named.length).toBeGreaterThan(0);
  expect(missing).toEqual([]);
});

it("docs/reliability.md names only clauses that the protocol has, and scripts that the package has", () => {
  const protocol = read("docs/protocol.md");
  const clauses = [...page.matchAll(/\b[A-Z]-\d+\b/g)].map(([id]) => id);
  const scripts = [...page.matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name);
  const known = (JSON.parse(read("package.json")) as { scripts: object }).scripts;

  expect(clauses.filter((id) => !protocol.includes(`- **${id}** `))).toEqual([]);
  expect(scripts.filter((name) => !(name in known))).toEqual([]);
});
