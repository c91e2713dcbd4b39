/**
 * `npm run conformance:mcp-events`: installs missing packages, then lets the MCP Events client of the
 * AI SDK subscribe to a separate server.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";
import { installSuite } from "./install-suite.mjs";

const node = ensureInstalled();
const cache = installSuite(
  "a client of MCP Events",
  "mcp-events-client",
  "test/conformance/mcp-events",
);
const { status } = spawnSync(node, [join(ROOT, "scripts", "mcp-events-conformance.ts"), cache], {
  stdio: "inherit",
  env: projectEnvironment(),
});
process.exit(status ?? 1);
