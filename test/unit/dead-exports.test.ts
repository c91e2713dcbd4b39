import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { deadExports } from "./dead-exports";

const ROOT = join(import.meta.dirname, "../..");

/** Files that are imported from outside: the package's entries, and the entries of runtimes. */
const ENTRIES = new Set([
  "src/index.ts",
  "src/client/index.ts",
  "src/client-node/index.ts",
  "src/adapters/ai/index.ts",
  "src/adapters/claude/index.ts",
  "src/adapters/langgraph/index.ts",
  // Declares the used part of a package that is not installed here.
  "src/adapters/langgraph/peer.d.ts",
  "src/adapters/openai-agents/index.ts",
  "src/verify/index.ts",
  "scripts/bench/floor-worker.ts",
  // The test runner gets its path.
  "scripts/test-runs/progress.mjs",
]);

const isChecked = (path: string) => /^(?:src|scripts)\//.test(path) && !ENTRIES.has(path);
const check = (files: Record<string, string>) =>
  deadExports(new Map(Object.entries(files)), (path) => path.startsWith("src/"));

const sources = new Map(
  ["src", "scripts", "test", "examples"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(ROOT, file).split(sep).join("/"), readFileSync(file, "utf8")]),
  ) as [string, string][],
).set("vitest.config.ts", readFileSync(join(ROOT, "vitest.config.ts"), "utf8"));

describe("src and scripts", () => {
  it("have no export that nothing imports", () => {
    expect(deadExports(sources, isChecked)).toEqual([]);
  });
});

describe("the checker of dead exports", () => {
  it.each([
    ["a constant", "export const a = 1;"],
    ["a function that only its own file uses", "export function a() {}\na();"],
    ["a type", "export interface a {}"],
    ["a name that is re-exported", `export { a } from "./b";`],
    ["a default", "export default 1;"],
    ["a name that a pattern binds", "export const { b: a } = { b: 1 };"],
    ["a name that an array pattern binds", "export const [, a = 1] = [1, 2];"],
    ["the rest of a pattern", "export const { ...a } = { b: 1 };"],
  ])("finds %s that nothing imports", (_what, source) => {
    expect(check({ "src/a.ts": source, "src/c.ts": `// import { a } from "./a"` })).toHaveLength(1);
  });

  it.each([
    ["a name", `import { a } from "./a";`],
    ["a name under another name", `import { a as b } from "./a";`],
    ["a type", `import type { a } from "./a";`],
    ["a type in place", `type B = import("./a").a;`],
    ["a member of a namespace", `import * as all from "./a";\nall.a();`],
    ["a type of a namespace", `import type * as all from "./a";\ntype B = all.a;`],
    ["the type of a member", `import type * as all from "./a";\ntype B = typeof all.a;`],
    ["a member by its text", `import * as all from "./a";\nall["a"]();`],
    ["a namespace that is passed on", `import * as all from "./a";\nuse(all);`],
    ["a whole module", `await import("./a");`],
    ["a name that is re-exported", `export { a } from "../src/a";`],
    ["everything", `export * from "./a";`],
  ])("accepts an import of %s", (_what, source) => {
    expect(check({ "src/a.ts": "export const a = 1;", "src/c.ts": source })).not.toContain(
      "src/a.ts: a",
    );
  });

  it("does not confuse the members of a namespace", () => {
    const all = `import * as all from "./a";\n// all.b\nall.a("all.b");`;
    const found = check({
      "src/a.ts": "export const a = 1;\nexport const b = 2;",
      "src/c.ts": all,
    });
    expect(found).toEqual(["src/a.ts: b"]);
  });
});
