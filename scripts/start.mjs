/** `npm start`: installs what is missing, then serves with the project's own Node. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, ROOT, serverEnvironment } from "./install.mjs";
import { asksForHelp, HELP } from "./serve-help.mjs";

const PARENT_CHECK_MS = 500;

if (asksForHelp(process.argv.slice(2))) {
  console.log(HELP);
  process.exit(0);
}
const node = ensureInstalled();
const server = spawn(node, [join(ROOT, "scripts", "serve.ts"), ...process.argv.slice(2)], {
  // The channel closes with this process, however that ends; then the server stops too.
  stdio: ["inherit", "inherit", "inherit", "ipc"],
  env: serverEnvironment(),
});
// Ctrl-C reaches the server as well; it ends in its own time and this process with it.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => server.kill("SIGTERM"));
server.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 0 : 1)));
// npm may be killed without a word, and its shell passes no signal on. Started by anything else, this
// process may outlive its parent, as services do.
if (process.env["npm_lifecycle_event"] === "start") {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || server.kill("SIGTERM"), PARENT_CHECK_MS).unref();
}
