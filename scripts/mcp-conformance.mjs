/**
 * `npm run conformance:mcp`: installs what is missing, then runs the official MCP conformance suite and
 * the MCP Inspector against a server of its own. Both bring more packages than the project, so they
 * have a lock of their own and live in a cache folder.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";

const node = ensureInstalled();
const SOURCE = join(ROOT, "test", "conformance");
const CACHE = join(ROOT, "node_modules", ".cache", "mcp-conformance");
const FILES = ["package.json", "package-lock.json"];

/** npm writes its own record last, so it tells a whole installation from a broken one. */
const isInstalled = () =>
  existsSync(join(CACHE, "node_modules", ".package-lock.json")) &&
  FILES.every((name) => readFileSync(join(CACHE, name)).equals(readFileSync(join(SOURCE, name))));

if (!isInstalled()) {
  console.error("Installing the conformance suite and the Inspector (npm ci) …");
  mkdirSync(CACHE, { recursive: true });
  for (const name of FILES) copyFileSync(join(SOURCE, name), join(CACHE, name));
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", args, {
    cwd: CACHE,
    stdio: ["ignore", 2, 2],
    env: projectEnvironment(),
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("npm ci failed; see above.");
    process.exit(status ?? 1);
  }
}

const { status } = spawnSync(node, [join(ROOT, "scripts", "mcp-conformance.ts"), CACHE], {
  stdio: "inherit",
  env: projectEnvironment(),
});
process.exit(status ?? 1);
