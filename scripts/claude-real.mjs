/**
 * `npm run claude:real`: installs the Claude Agent SDK with its binary (about 400 MB) into a cache, unpacks
 * the packed tarball next to it, and runs both against a fake model and a separate server.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";
import { installSuite } from "./install-suite.mjs";

const node = ensureInstalled();
const cache = installSuite("the Claude Agent SDK", "claude-real", "test/claude");
const { status } = spawnSync(node, [join(ROOT, "scripts", "claude-real.ts"), cache], {
  stdio: "inherit",
  env: projectEnvironment(),
});
process.exit(status ?? 1);
