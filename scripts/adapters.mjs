/**
 * `npm run adapters`: installs the frameworks and their own suites into a cache, unpacks the packed
 * tarball next to them, and runs every suite against a separate server.
 *
 *   npm run adapters                   all of them
 *   npm run adapters -- langgraph      one: langgraph, thread, claude, openai, ai, examples, person, types
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";
import { installSuite } from "./install-suite.mjs";

const node = ensureInstalled();
const cache = installSuite("the frameworks and their suites", "adapter-suites", "test/adapters");
const script = join(ROOT, "scripts", "adapters.ts");
const { status } = spawnSync(node, [script, cache, ...process.argv.slice(2)], {
  stdio: "inherit",
  env: projectEnvironment(),
});
process.exit(status ?? 1);
