/** `npm run stress:sdk`: the SDK killed at 200 random moments, and many seeds of a bad network. */
import { spawnSync } from "node:child_process";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";

ensureInstalled();
const { status } = spawnSync(
  "vitest",
  ["run", "test/e2e/sdk-kill.test.ts", "test/e2e/sdk-lossy.test.ts"],
  {
    cwd: ROOT,
    env: { SDK_KILLS: "200", SDK_SEEDS: "25", SDK_STEPS: "80", ...projectEnvironment() },
    stdio: "inherit",
  },
);
process.exit(status ?? 1);
