import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, temporaryFolder } from "../support/server.ts";
import { MAX_DEPLOYED_BYTES } from "../support/worker-size.ts";

const folder = temporaryFolder();
const clone = join(folder.path, "clone");
beforeAll(() => {
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" });
  for (const path of tracked.split("\0")) {
    if (path !== "" && existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(clone, path));
  }
});
afterAll(() => folder[Symbol.dispose]());

const run = (command: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: clone, encoding: "utf8" });
  return { status, output: stdout + stderr };
};

describe("a clone of the repository", () => {
  it("has a lock that npm ci accepts", () => {
    expect(readdirSync(clone)).not.toContain("node_modules");
    const { status, output } = run("npm", "ci", "--ignore-scripts", "--dry-run", "--offline");
    expect(status, output).toBe(0);
  });

  it("can be deployed", () => {
    symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
    const dist = join(folder.path, "dist");
    const wrangler = join(ROOT, "node_modules", ".bin", "wrangler");
    const { status, output } = run(wrangler, "deploy", "--dry-run", "--outdir", dist);
    expect(status, output).toBe(0);
    expect(output).toContain("SessionObject");
    expect(output).not.toContain("WARNING");
    expect(statSync(join(dist, "index.js")).size).toBeLessThan(MAX_DEPLOYED_BYTES);
    expect(readdirSync(join(clone, "build/site/docs"))).toContain("readme.html");
  });
});
