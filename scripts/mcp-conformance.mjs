/**
 * `npm run conformance:mcp`: installs missing packages, then runs the official MCP conformance suite
 * and the MCP Inspector against a separate server.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";
import { installSuite } from "./install-suite.mjs";

const node = ensureInstalled();
const cache = installSuite(
  "the conformance suite and the Inspector",
  "mcp-conformance",
  "test/conformance",
);
const { status } = spawnSync(node, [join(ROOT, "scripts", "mcp-conformance.ts"), cache], {
  stdio: "inherit",
  env: projectEnvironment(),
});
process.exit(status ?? 1);
