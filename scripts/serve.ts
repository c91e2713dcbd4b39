/** Serves Baton locally until Ctrl-C. Run by `npm start`; needs no account and no login. */
import { flushCompileCache } from "node:module";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { banner } from "./banner.ts";
import { Phases } from "./phases.ts";
import { isPortTaken } from "./port.ts";
import { CHECK_REFUSED, HELP } from "./serve-help.mjs";
import { startProblem } from "./start-problem.ts";
import { varsFrom } from "./server-vars.ts";

/** Streams do not end by themselves. Their clients reconnect and continue. */
const DRAIN_MS = 3_000;

// Inherited by the runtime, which creates the files: no other user of this machine may read sessions.
process.umask(0o077);

/** 2 for an invalid setting, 1 for everything else. */
function fail(message: string, status = 1): never {
  console.error(message);
  process.exit(process.argv.includes("--check") ? CHECK_REFUSED + status : status);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: "string", default: process.env["PORT"] || "8787" },
        data: { type: "string", default: ".baton" },
        host: { type: "string", default: "127.0.0.1" },
        timing: { type: "boolean", default: false },
        // For start.mjs: reports problems before anything is installed.
        check: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      return fail(`--port must be a number from 0 to 65535, not "${values.port}".\n\n${HELP}`);
    }
    return { ...values, port, data: resolve(values.data) };
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
  }
}

const { port, host, data, timing, check } = readOptions();
const phases = new Phases();
const settings = varsFrom(process.env);
await import("./settings/ts-imports.ts");
const { canCreate, isExposed, settingsProblems, settingsWarnings } = await import(
  "./settings/check.ts"
);
const problems = settingsProblems(settings, host);
if (problems.length > 0) fail(`${problems.join("\n\n")}\n\nNothing was started.`, 2);
if (await isPortTaken(port, host)) {
  fail(`Port ${port} is taken. Choose another one: npm start -- --port ${port + 1}`);
}
if (check) process.exit(0);
phases.ended("settings");
// Imported only now, because it is slow: problems with the options are reported at once.
const { startLocalServer } = await import("./local-server.ts");
// From here on the server must be stopped gracefully, even while it starts.
const { promise: stopRequested, resolve: requestStop } = Promise.withResolvers<void>();
let isStopping = false;
function stop(): void {
  isStopping = true;
  requestStop();
}
process.on("SIGINT", stop);
process.on("SIGTERM", stop);
// The parent process has ended, possibly without a signal.
process.on("disconnect", stop);
// Without a list every name is an agent and needs no key. Only for a local server.
const vars = { ...(isExposed(settings, host) ? { AGENTS: "[]" } : {}), ...settings };
// If others can reach the server, the operator must configure the rights.
const makesLocal = isExposed(settings, host) ? {} : ({ makesLocalOwner: true } as const);
const server = await startLocalServer({
  port,
  host,
  dataFolder: data,
  vars,
  // Otherwise the site is built when a page is first requested.
  preparesDocs: process.env["npm_lifecycle_event"] === "start",
  // Each server of a test run would build the same site.
  buildsDocs: process.env["BATON_BUILD_DOCS"] !== "false",
  onPhase: (name) => phases.ended(name),
  ...makesLocal,
}).catch((error: unknown) => {
  const problem = startProblem(error, data);
  if (problem === null) throw error;
  return fail(problem);
});
if (server === null) {
  fail(
    `Another server keeps its sessions in ${data}. Stop it, or choose another folder with --data.`,
  );
}
const { forgetKey, rememberKey } = await import("./machine-keys.ts");
if (server.local !== null) await rememberKey(server.url, server.local.keyFile);
void stopRequested.then(async () => {
  await server.stop(DRAIN_MS);
  if (server.local !== null) await forgetKey(server.url);
  // The reader of the output may be gone.
  process.stdout.on("error", () => {});
  console.log("\nStopped.");
  process.exit(0);
});

if (!isStopping) {
  for (const warning of settingsWarnings(settings, host, process.env, Date.now()))
    console.error(`Warning: ${warning}`);
  console.log(banner({ server, dataFolder: data, settings: vars, canCreate: canCreate(settings) }));
  if (timing) console.log(`\n${phases.text()}`);
}
// Node writes the cache only at exit, which may be a kill.
flushCompileCache();
