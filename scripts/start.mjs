/** `npm start`: checks options and settings, installs missing packages, then serves with the project's own Node. */
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
// Installing takes a minute, so the check runs first. A Node that is too old checks after it.
const node = ensureInstalled((found) => {
  const options = { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" };
  const { status, stderr } = spawnSync(found, [...SERVE, "--check"], options);
  if (status === null || status < CHECK_REFUSED) return;
  process.stderr.write(stderr);
  process.exit(status - CHECK_REFUSED);
});
const server = spawn(node, SERVE, {
  // The channel closes when this process ends for any reason. Then the server stops too.
  stdio: ["inherit", "inherit", "inherit", "ipc"],
  env: serverEnvironment(),
});
// Ctrl-C reaches the server as well. It shuts down, and this process ends with it.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => server.kill("SIGTERM"));
server.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 0 : 1)));
// npm may be killed without a signal, and its shell forwards none. If anything else starts this process,
// it may outlive its parent, as services do.
if (process.env["npm_lifecycle_event"] === "start") {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || server.kill("SIGTERM"), PARENT_CHECK_MS).unref();
}
