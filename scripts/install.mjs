/**
 * Makes a fresh clone ready, with nothing but Node and npm: installs what the lock names where it is
 * missing or another version, and returns the Node 24 that comes with it. Plain JavaScript and Node's
 * own modules only: it runs before anything is installed.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, "node_modules");
/** npm writes this last, so it tells a whole installation from a broken one. */
const STAMP = join(MODULES, ".package-lock.json");
const NODE = join(MODULES, "node", "bin", process.platform === "win32" ? "node.exe" : "node");

/** Where packages are installed, so that those of before stay whole until the new ones are. */
const NEXT = join(ROOT, "node_modules.new");
const FILES = ["package.json", "package-lock.json"];

const packagesIn = (path) => JSON.parse(readFileSync(path, "utf8")).packages;

/** Why packages have to be installed; null where all are there. Git writes times anew, so versions count. */
function whatIsMissing() {
  if (!existsSync(STAMP) || !existsSync(NODE)) return "node_modules is missing or incomplete";
  const there = packagesIn(STAMP);
  const isThere = Object.entries(packagesIn(join(ROOT, "package-lock.json"))).every(
    ([path, { version, optional }]) =>
      path === "" || (path in there ? there[path].version === version : optional === true),
  );
  return isThere ? null : "node_modules does not match package-lock.json";
}

/** The path of the project's own Node. Ends the process where installing fails. */
export function ensureInstalled(checkFirst = () => {}) {
  const missing = whatIsMissing();
  if (missing !== null) {
    checkFirst(existsSync(NODE) ? NODE : process.execPath);
    console.error(`${missing}: installing (npm ci) …`);
    install();
  }
  return NODE;
}

function install() {
  rmSync(NEXT, { recursive: true, force: true });
  mkdirSync(NEXT);
  for (const file of FILES) copyFileSync(join(ROOT, file), join(NEXT, file));
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: NEXT,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (status === 0) {
    rmSync(MODULES, { recursive: true, force: true });
    renameSync(join(NEXT, "node_modules"), MODULES);
  }
  rmSync(NEXT, { recursive: true, force: true });
  if (status === 0) return;
  console.error("npm ci failed; see above.");
  process.exit(status ?? 1);
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
