/**
 * Makes a fresh clone ready, with nothing but Node and npm: installs what the lock names where it is
 * missing or older than the lock, and returns the Node 24 that comes with it. Plain JavaScript and
 * Node's own modules only: it runs before anything is installed.
 */
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, "node_modules");
/** npm writes this last, so it tells a whole installation from a broken one. */
const STAMP = join(MODULES, ".package-lock.json");
const NODE = join(MODULES, "node", "bin", process.platform === "win32" ? "node.exe" : "node");

function isInstalled() {
  if (!existsSync(STAMP) || !existsSync(NODE)) return false;
  return statSync(STAMP).mtimeMs >= statSync(join(ROOT, "package-lock.json")).mtimeMs;
}

/** The path of the project's own Node. Ends the process where installing fails. */
export function ensureInstalled() {
  if (!isInstalled()) {
    console.error("Installing what is missing (npm ci) …");
    const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: ROOT,
      stdio: ["ignore", 2, 2],
      shell: process.platform === "win32",
    });
    if (status !== 0) {
      console.error("npm ci failed; see above.");
      process.exit(status ?? 1);
    }
  }
  return NODE;
}

/** The environment in which `node` and every tool of the project are found first. */
export const projectEnvironment = () => ({
  ...process.env,
  PATH: [join(MODULES, "node", "bin"), join(MODULES, ".bin"), process.env["PATH"]].join(delimiter),
});

/**
 * The environment of a server: Node keeps there what it made of the sources, so that the next start
 * need not do it again. Without that half of a start's CPU, and a third of Node's memory, go into it.
 */
export const serverEnvironment = () => ({
  NODE_COMPILE_CACHE: join(MODULES, ".cache", "node"),
  ...projectEnvironment(),
});
