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

/** Streams never end by themselves: their clients reconnect and read on. */
const DRAIN_MS = 3_000;

// Inherited by the runtime, which makes the files: nobody else on this machine may read sessions.
process.umask(0o077);

/** 2 where a setting is wrong, 1 for everything else. */
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
        // For start.mjs: says what is wrong before anything is installed.
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
const given = varsFrom(process.env);
await import("./settings/ts-imports.ts");
const { canCreate, isExposed, settingsProblems, settingsWarnings } = await import(
  "./settings/check.ts"
);
const problems = settingsProblems(given, host);
if (problems.length > 0) fail(`${problems.join("\n\n")}\n\nNothing was started.`, 2);
if (await isPortTaken(port, host)) {
  fail(`Port ${port} is taken. Choose another one: npm start -- --port ${port + 1}`);
}
if (check) process.exit(0);
phases.ended("settings");
// Only now, because it takes a while: what is wrong with the options is said at once.
const { startLocalServer } = await import("./local-server.ts");
// From here on something runs that must be ended in order, also while it only starts.
const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
let isStopping = false;
function stop(): void {
  isStopping = true;
  ask();
}
process.on("SIGINT", stop);
process.on("SIGTERM", stop);
// Who started this by a channel has ended, and may have had no time to say so.
process.on("disconnect", stop);
// Without a list every name is an agent and needs no key: on one's own machine only.
const vars = { ...(isExposed(given, host) ? { AGENTS: "[]" } : {}), ...given };
// Where others can reach it, who may do what is the operator's to say.
const makesLocal = isExposed(given, host) ? {} : ({ makesLocalOwner: true } as const);
const server = await startLocalServer({
  port,
  host,
  dataFolder: data,
  vars,
  // Where it is started otherwise, the site is built when a page is first asked for.
  preparesDocs: process.env["npm_lifecycle_event"] === "start",
  // The servers of a test run would each build the same site.
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
void isAsked.then(async () => {
  await server.stop(DRAIN_MS);
  if (server.local !== null) await forgetKey(server.url);
  // Who would read it may be gone too.
  process.stdout.on("error", () => {});
  console.log("\nStopped.");
  process.exit(0);
});

if (!isStopping) {
  for (const warning of settingsWarnings(given, host, process.env, Date.now()))
    console.error(`Warning: ${warning}`);
  console.log(banner({ server, dataFolder: data, settings: vars, canCreate: canCreate(given) }));
  if (timing) console.log(`\n${phases.text()}`);
}
// By itself Node does so at its end, which may be a kill.
flushCompileCache();
