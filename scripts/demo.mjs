/** `npm run demo`: installs what is missing, then tells the story with the project's own Node. */
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
