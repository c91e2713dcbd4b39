/**
 * `npm test`: installs missing packages, then checks types, lint and format and runs every quick test and the
 * official MCP suite, with one final count. `--ci` adds short passes of long tables and of tests with kills
 * and network faults, and the Python client; `npm run test:all` adds slow tests.
 *
 *   npm test -- unit workers     parts: types, lint, format, mcp, python, unit, contract, workers, e2e, long
 *   npm test -- e2e page         any other word is a part of the names of test files
 */
import { join } from "node:path";
import { ensureInstalled, projectEnvironment, ROOT } from "./install.mjs";
import { makeRunFolder } from "./test-runs/folder.mjs";
import { endTree, startGroup } from "./test-runs/processes.mjs";
import { runWatched } from "./test-runs/watched.mjs";

ensureInstalled();
const env = projectEnvironment();
const filters = process.argv.slice(2).filter((word) => word !== "--all" && word !== "--ci");
const isAll = process.argv.includes("--all");
const isMore = isAll || process.argv.includes("--ci");
// Selects the tests (vitest.config.ts) and their scale (test/support/scale.ts).
env["BATON_TESTS"] = isAll ? "all" : isMore || filters.length > 0 ? "ci" : "quick";
// Many short processes run the same code, so they share a compile cache.
env["NODE_COMPILE_CACHE"] ??= join(ROOT, "node_modules/.cache/baton-compiled");
// The long tests use a real disk, as a server does.
env["TMPDIR"] = makeRunFolder({ isOnDisk: isAll });
const startedAt = Date.now();

const QUICK = ["unit", "contract", "workers", "e2e"];
const PROJECTS = [...QUICK, "long"];
/** Unchanged files that passed are not checked again. */
const CACHE = "node_modules/.cache/baton";
/** These run in parallel with the tests, one after another. */
const CHECKS = {
  types: `tsc -p . --incremental --tsBuildInfoFile ${CACHE}-types`.split(" "),
  lint: ["oxlint"],
  format:
    `prettier --check --log-level=warn --cache --cache-strategy=content --cache-location=${CACHE}-format .`.split(
      " ",
    ),
  mcp: ["node", "scripts/mcp-conformance.mjs"],
  python: ["node", "scripts/python.mjs"],
};
/** The exit status of a check whose requirements are missing. Its last line names them. */
const NOT_HERE = 77;
/** These run after the tests, because each of them loads the machine. */
const STRESS = {
  model: ["node", "scripts/model.ts", "--minutes", "2"],
  "stress:arcp": ["node", "scripts/stress-arcp.ts", "1"],
  "conformance:mcp-events": ["node", "scripts/mcp-events-conformance.mjs"],
  "stress:live": ["node", "scripts/stress-live.ts"],
  "scale:owners": ["node", "scripts/scale-owners.ts"],
  "console:many": ["node", "scripts/console-many.mjs"],
  "stress:sdk": ["node", "scripts/stress-sdk.mjs"],
  "stress:python": ["node", "scripts/python.mjs", "--long"],
  "schema-suite": ["node", "scripts/schema-suite.mjs"],
  adapters: ["node", "scripts/adapters.mjs"],
};
const SLOWEST = 10;

const MINUTE_MS = 60_000;
/** A test or hook times out after three minutes (vitest.config.ts), and later in a full pass. */
const SILENCE_MS = { quick: 6 * MINUTE_MS, all: 70 * MINUTE_MS };
/** A check that takes longer is ended and has failed. */
const CHECK_MS = { quick: 30 * MINUTE_MS, all: 60 * MINUTE_MS };

const named = filters.filter((word) => PROJECTS.includes(word));
const files = filters.filter((word) => !PROJECTS.includes(word) && !(word in CHECKS));
const checks = Object.keys(CHECKS).filter((name) =>
  filters.length === 0 ? isMore || name !== "python" : filters.includes(name),
);
const hasTests = filters.length === 0 || named.length > 0 || files.length > 0;
const projects = named.length > 0 ? named : isAll ? PROJECTS : QUICK;

let passed = 0;
let failed = 0;

/** Runs a command whose output is shown, line by line behind a bar, only if it fails. */
function runQuietly([command, ...args]) {
  return new Promise((resolve) => {
    const child = startGroup(command, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const limit = isAll ? CHECK_MS.all : CHECK_MS.quick;
    const overdue = setTimeout(() => {
      output += `\nEnded after ${seconds(limit)}.`;
      endTree(child.pid);
    }, limit);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("error", (error) => resolve({ code: 1, output: String(error) }));
    child.on("close", (code) => {
      clearTimeout(overdue);
      resolve({ code: code ?? 1, output });
    });
  });
}

async function check(name, command) {
  const start = Date.now();
  const { code, output } = await runQuietly(command);
  if (code === NOT_HERE) return `- ${name}: ${output.trim().split("\n").at(-1)}`;
  const line = `${code === 0 ? "✓" : "✗"} ${name} ${seconds(Date.now() - start)}`;
  if (code === 0) passed += 1;
  else failed += 1;
  return code === 0 ? line : `${line}\n${output.replaceAll(/^/gm, "| ")}`;
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

async function checkAll(commands) {
  const printed = [];
  for (const [name, command] of commands) printed.push(await check(name, command));
  return printed;
}

async function test() {
  const reported = await runWatched({
    command: "vitest",
    args: ["run", ...projects.flatMap((name) => ["--project", name])],
    files,
    cwd: ROOT,
    env,
    silenceMs: isAll ? SILENCE_MS.all : SILENCE_MS.quick,
    say: (line) => console.log(line),
  });
  passed += reported.passed;
  failed += reported.failed;
  return slowest(reported.files);
}

/** From the first test of a file to its last, without loading and setup. */
const slowest = (files) =>
  files
    .sort((one, other) => other.ms - one.ms)
    .slice(0, SLOWEST)
    .map(({ path, ms }) => `  ${seconds(ms).padStart(8)}  ${path}`);

const parallel = checkAll(checks.map((name) => [name, CHECKS[name]]));
const slow = hasTests ? await test() : [];
if (slow.length > 1) console.log(`The slowest files:\n${slow.join("\n")}\n`);
for (const line of await parallel) console.log(line);
if (isAll) {
  for (const [name, command] of Object.entries(STRESS)) console.log(await check(name, command));
}
console.log(`Took ${seconds(Date.now() - startedAt)}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
