/**
 * The built site in build/site, and whether it is that of these sources: a stamp beside it is the hash of
 * all it was made of.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
/** Served as static assets, under the paths of the Worker. */
export const SITE = join(ROOT, "build/site");
export const STAMP = join(ROOT, "build/site-stamp");

const INPUTS = ["*.md", "docs/**/*", "examples/*", "site/**/*", "scripts/site/*.ts"];

export function stampOfSources(): string {
  const hash = createHash("sha256");
  const entries = INPUTS.flatMap((pattern) =>
    globSync(pattern, { cwd: ROOT, withFileTypes: true }),
  );
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes("node_modules"));
  for (const file of [...new Set(files)].sort()) {
    hash.update(file.slice(ROOT.length)).update(readFileSync(file));
  }
  return hash.digest("hex");
}

export const isBuilt = (): boolean => existsSync(join(SITE, "docs/index.html"));

export const isCurrent = (): boolean =>
  isBuilt() && existsSync(STAMP) && readFileSync(STAMP, "utf8") === stampOfSources();
