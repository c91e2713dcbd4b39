/** `npm run demo`: installs missing packages, then runs the demo with the project's own Node. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";

const node = ensureInstalled();
const demo = spawn(node, [join(ROOT, "scripts", "demo", "main.ts"), ...process.argv.slice(2)], {
  stdio: "inherit",
  env: projectEnvironment(),
});
process.on("SIGINT", () => {});
process.on("SIGTERM", () => demo.kill("SIGTERM"));
demo.on("exit", (code) => process.exit(code ?? 1));
