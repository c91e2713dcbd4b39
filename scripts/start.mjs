/** `npm start`: checks options and settings, installs what is missing, then serves with the project's own Node. */
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, ROOT, serverEnvironment } from "./install.mjs";
import { asksForHelp, CHECK_REFUSED, HELP } from "./serve-help.mjs";

const PARENT_CHECK_MS = 500;

if (asksForHelp(process.argv.slice(2))) {
  console.log(HELP);
  process.exit(0);
}
const SERVE = [join(ROOT, "scripts", "serve.ts"), ...process.argv.slice(2)];
// Installing takes a minute. A Node that is too old to check before says it only after that.
const node = ensureInstalled((found) => {
  const options = { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" };
  const { status, stderr } = spawnSync(found, [...SERVE, "--check"], options);
  if (status === null || status < CHECK_REFUSED) return;
  process.stderr.write(stderr);
  process.exit(status - CHECK_REFUSED);
});
const server = spawn(node, SERVE, {
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
