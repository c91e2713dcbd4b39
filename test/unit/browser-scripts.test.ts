/** The pages' scripts are typed, built and known to every bundler of the Worker. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { browserModule, browserScripts } from "../../scripts/browser-scripts.ts";

const ROOT = join(import.meta.dirname, "../..");

const checkTypes = () =>
  execFileSync("node_modules/.bin/tsc", ["-p", "tsconfig.browser.json"], {
    cwd: ROOT,
    stdio: "pipe",
  });

describe("the scripts of the pages", () => {
  it("pass the type check with the types of a browser only", () => {
    expect(checkTypes).not.toThrow();
  });

  it("have names in wrangler.toml, where the platform's bundler finds them", () => {
    const config = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
    for (const name of browserScripts()) {
      expect(config).toContain(`"browser:${name}" = "./build/browser/${name}.js"`);
    }
  });

  it("are one file each, which loads no other, under a path that changes with its text", async () => {
    expect(browserScripts()).not.toEqual([]);
    for (const name of browserScripts()) {
      const { path, text } = (await import(
        `data:text/javascript,${encodeURIComponent(await browserModule(name))}`
      )) as { path: string; text: string };
      expect(path).toMatch(new RegExp(`^/assets/${name}\\.[0-9a-f]{12}\\.js$`));
      expect(text).not.toMatch(/\bimport\b|\beval\b|sourceMappingURL/);
    }
  });
});
