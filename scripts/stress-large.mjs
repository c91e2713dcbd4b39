/** `npm run stress:large`: entries of 1 B to 100 MiB through the SDK, and a writer killed 20 times during one. */
import { spawnSync } from "node:child_process";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";

ensureInstalled();
const { status } = spawnSync(
  "vitest",
  ["run", "test/e2e/large-entries.test.ts", "--reporter=verbose"],
  { cwd: ROOT, env: { ...projectEnvironment(), BATON_TESTS: "all" }, stdio: "inherit" },
);
process.exit(status ?? 1);
