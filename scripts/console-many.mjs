/** `npm run console:many [sessions]`: runs the console test with 100,000 sessions. */
import { spawnSync } from "node:child_process";
import { projectEnvironment, ROOT } from "./install.mjs";

const [sessions = "100000"] = process.argv.slice(2);
const { status } = spawnSync("vitest", ["run", "test/e2e/console.test.ts"], {
  cwd: ROOT,
  stdio: "inherit",
  env: { ...projectEnvironment(), BATON_CONSOLE_SESSIONS: sessions },
});
process.exit(status ?? 1);
