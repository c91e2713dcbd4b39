/**
 * Installs a third-party suite on demand. Its packages have a separate lock file under test/conformance
 * and are in a cache folder, because only one script needs them.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectEnvironment, ROOT } from "./install.mjs";

const FILES = ["package.json", "package-lock.json"];
/** Without a network npm retries for too long. */
const TIMEOUT_MS = 600_000;

/** Returns the folder of the suite. Ends the process if the installation fails. */
export function installSuite(what, name, source) {
  try {
    return install(what, source, join(ROOT, "node_modules", ".cache", name));
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

/** The same for a caller that can continue without the suite. */
export function install(what, source, cache) {
  const from = join(ROOT, source);
  // npm writes its own record last, so it marks a complete installation.
  const isInstalled =
    existsSync(join(cache, "node_modules", ".package-lock.json")) &&
    FILES.every((file) => readFileSync(join(cache, file)).equals(readFileSync(join(from, file))));
  if (isInstalled) return cache;
  console.error(`Installing ${what} (npm ci) …`);
  mkdirSync(cache, { recursive: true });
  for (const file of FILES) copyFileSync(join(from, file), join(cache, file));
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", args, {
    cwd: cache,
    stdio: ["ignore", 2, 2],
    env: projectEnvironment(),
    timeout: TIMEOUT_MS,
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    throw new Error(`npm ci of ${what} failed; see above.`);
  }
  return cache;
}
