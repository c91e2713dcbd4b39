/**
 * The location of the built site, and whether it is current: a stamp file contains the hash of its
 * sources.
 */
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

interface SiteFolders {
  /** Served as static assets, under the paths of the Worker. */
  readonly site: string;
  readonly stamp: string;
  /** The packages of the build. */
  readonly packages: string;
}

export const CLONE: SiteFolders = {
  site: join(ROOT, "build/site"),
  stamp: join(ROOT, "build/site-stamp"),
  packages: join(ROOT, "node_modules/.cache/baton-site"),
};

export const placeIn = (folder: string): SiteFolders => ({
  site: join(folder, "site"),
  stamp: join(folder, "site-stamp"),
  packages: join(folder, "packages"),
});

/** The clone, or the given folder if the clone belongs to another user and its site is not current. */
export const placeFor = (folder: string, clone = CLONE): SiteFolders =>
  isCurrent(clone) || canWrite(clone) ? clone : placeIn(folder);

function canWrite({ site, packages }: SiteFolders): boolean {
  try {
    for (const folder of [dirname(site), packages]) {
      mkdirSync(folder, { recursive: true });
      accessSync(folder, constants.W_OK);
    }
    return true;
  } catch {
    return false;
  }
}

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

export const isBuilt = ({ site }: SiteFolders): boolean =>
  existsSync(join(site, "docs/index.html"));

export const isCurrent = (location: SiteFolders): boolean =>
  isBuilt(location) &&
  existsSync(location.stamp) &&
  readFileSync(location.stamp, "utf8") === stampOfSources();
