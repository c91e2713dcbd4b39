/** `npm start`: installs what is missing, then serves with the project's own Node. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";
import { asksForHelp, HELP } from "./serve-help.mjs";

if (asksForHelp(process.argv.slice(2))) {
  console.log(HELP);
  process.exit(0);
}
const node = ensureInstalled();
const server = spawn(node, [join(ROOT, "scripts", "serve.ts"), ...process.argv.slice(2)], {
  stdio: "inherit",
  env: projectEnvironment(),
});
// Ctrl-C reaches the server as well; it ends in its own time and this process with it.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => server.kill("SIGTERM"));
server.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 0 : 1)));
