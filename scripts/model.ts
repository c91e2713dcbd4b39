/**
 * `npm run model`: random plans of many participants on one of three drivers, and every law of the model
 * checked on what happened. A failing plan is shrunk and printed as a script that runs again. Exits with 1 if
 * a law is broken, or if a planted bug is not found.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { huntBug, searchInMemory, shrinkWithFaults } from "../test/support/model/bug-hunt.ts";
import { runWithFaults } from "../test/support/model/faulty-run.ts";
import type { Figures } from "../test/support/model/figures.ts";
import { check } from "../test/support/model/laws.ts";
import { PlanServer } from "../test/support/model/observed-run.ts";
import type { Violation } from "../test/support/model/laws/law.ts";
import { loadMemoryDriver } from "../test/support/model/memory-bundle.ts";
import { createObservers } from "../test/support/model/observe/all.ts";
import type { Plan } from "../test/support/model/plan.ts";
import { patchesOf, PLANTED_BUGS } from "../test/support/model/planted-bugs.ts";
import { reportOf, table, withFigures } from "../test/support/model/report.ts";
import { runPlan } from "../test/support/model/run.ts";
import { parseScript, printScript } from "../test/support/model/script.ts";

const HELP = `Usage: npm run model -- [options]

  --driver      memory: the handlers on SQLite, one request after another
                http: a server on workerd, without faults
                faults: the same with kills, lost answers, full disks and more (default)
  --seed N      draws the same plans and faults again (default: a new one)
  --minutes M   how long sessions are created over a network (default 2)
  --kills K     how often the runtime is killed with -9 (default: four a minute)
  --runs N      how many plans are run in memory (default 1000)
  --script F    runs the plan in this file, or - for stdin, instead of random ones
  --bug NAME    plants this bug into the source: see --bugs
  --bugs        finds each planted bug, and prints the shortest script that shows it
  --json        prints the figures as JSON instead of a table
  --write-docs  puts the figures into docs/reliability.md`;

const PAGE = join(import.meta.dirname, "../docs/reliability.md");
const SHOWN_VIOLATIONS = 20;
const QUIET_MS = 10_000;
const DRIVERS = ["memory", "http", "faults"] as const;

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        driver: { type: "string", default: "faults" },
        seed: { type: "string", default: String(Date.now() % 1_000_000) },
        minutes: { type: "string", default: "2" },
        kills: { type: "string" },
        runs: { type: "string", default: "1000" },
        script: { type: "string" },
        bug: { type: "string" },
        bugs: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        "write-docs": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    const driver = DRIVERS.find((name) => name === values.driver);
    if (driver === undefined) throw new Error(`There is no driver "${values.driver}".`);
    if (values.bug !== undefined) patchesOf(values.bug);
    const minutes = figure("--minutes", values.minutes);
    return {
      driver,
      minutes,
      seed: figure("--seed", values.seed),
      kills: figure("--kills", values.kills ?? String(Math.round(4 * minutes))),
      runs: figure("--runs", values.runs),
      script: values.script,
      bug: values.bug,
      isBugs: values.bugs,
      isJson: values.json,
      writesDocs: values["write-docs"],
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return process.exit(1);
  }
}

function figure(name: string, text: string): number {
  const value = Number(text);
  if (text === "" || !Number.isFinite(value) || value < 0) {
    throw new Error(`${name} must be a number, not "${text}".`);
  }
  return value;
}

let lastShownMs = 0;
const options = readOptions();
const { driver, seed, minutes, kills, runs, bug } = options;
const planted = bug === undefined ? "" : ` --bug "${bug}"`;
// So that what runs at the end of this process also runs if it is ended from outside.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
process.exit((await main()) ? 0 : 1);

/** False if something is wrong. */
async function main(): Promise<boolean> {
  if (options.isBugs) return findBugs();
  if (options.script !== undefined) return runScript(options.script);
  return driver === "memory" ? runInMemory() : runOverNetwork();
}

async function runInMemory(): Promise<boolean> {
  const command = `npm run model -- --driver memory --seed ${seed}${planted}`;
  console.error(`Seed ${seed}. The same again: ${command}`);
  let operations = 0;
  const started = Date.now();
  const found = await searchInMemory(await loadMemoryDriver(bug), { seed, runs }, (done, count) => {
    operations = count;
    progress(`${done} plans, ${count} operations`, Date.now() - started);
  });
  endProgress();
  if (found === null) {
    console.log(`${runs} plans, ${operations} operations: every law holds.`);
    return true;
  }
  showViolations(found.violations);
  if (found.plan !== null) console.log(printScript(found.plan));
  return false;
}

async function runOverNetwork(): Promise<boolean> {
  const isFaulty = driver === "faults";
  const command = `npm run model -- --driver ${driver} --seed ${seed} --minutes ${minutes}${isFaulty ? ` --kills ${kills}` : ""}${planted}`;
  console.error(`Seed ${seed}. The same again: ${command}`);
  const run = await runWithFaults({
    seed,
    bug,
    durationMs: minutes * 60_000,
    kills: isFaulty ? kills : 0,
    observers: await createObservers(),
    ...(isFaulty ? {} : { gapMs: Number.POSITIVE_INFINITY }),
    onProgress: (figures: Figures, elapsedMs) => progress(figures.line(), elapsedMs),
  });
  endProgress();
  const report = reportOf(run, seed, command);
  console.log(options.isJson ? JSON.stringify(report, null, 2) : table(report));
  const { violations } = run.figures;
  if (options.writesDocs) {
    writeFileSync(PAGE, withFigures(readFileSync(PAGE, "utf8"), report));
    execFileSync("prettier", ["--write", PAGE], { stdio: "ignore" });
  }
  if (violations.length === 0) return true;
  showViolations(violations);
  console.error(`This was seed ${seed}. To repeat it: ${command}`);
  if (run.failing === null) {
    console.error("No violation is about the session of a plan, so there is no script.");
    return false;
  }
  console.error(`Looking for a shorter plan that breaks the same law: ${run.failing.law} …`);
  console.log(printScript(await shrinkWithFaults(run.failing, { seed, bug })));
  return false;
}

async function runScript(file: string): Promise<boolean> {
  const plan = parseScript(readFileSync(file === "-" ? 0 : file, "utf8"));
  if (plan.isObserved === true && driver === "memory") {
    console.error("The script needs observers: run it with --driver faults.");
    return false;
  }
  const { history, violations } = await (driver === "memory" ? inMemory(plan) : onServer(plan));
  for (const { id, name, outcome } of history?.operations ?? []) {
    console.log(`${name} (${id}): ${outcome.kind === "refused" ? outcome.code : outcome.kind}`);
  }
  showViolations(violations);
  return violations.length === 0;
}

async function inMemory(plan: Plan) {
  const history = await runPlan((await loadMemoryDriver(bug))(), plan, { tag: `s${seed}` });
  return { history, violations: history === null ? [] : check(history) };
}

async function onServer(plan: Plan) {
  const server = await PlanServer.start({ seed, bug }, plan.isObserved === true);
  try {
    return await server.run(plan);
  } finally {
    await server.stop();
  }
}

async function findBugs(): Promise<boolean> {
  let missed = 0;
  for (const one of PLANTED_BUGS) {
    const found = await huntBug(one, { seed });
    const name = `${one.name} (${one.faults === undefined ? "memory" : "faults"})`;
    if (found === null) {
      missed += 1;
      console.log(`✗ ${name}: not found`);
      continue;
    }
    const seconds = (found.elapsedMs / 1000).toFixed(1);
    const laws = [...new Set(found.violations.map(({ law }) => law))].join("; ");
    const after = `after ${found.operations} operations and ${seconds} s`;
    console.log(`✓ ${name}: ${laws}, ${after}`);
    const script = found.plan === null ? "no session shows it" : printScript(found.plan);
    console.log(script.replaceAll(/^/gm, "    ").trimEnd());
  }
  console.log(`${PLANTED_BUGS.length - missed} of ${PLANTED_BUGS.length} planted bugs found`);
  return missed === 0;
}

function showViolations(violations: readonly (Violation & { readonly session?: string })[]): void {
  for (const { law, what, session } of violations.slice(0, SHOWN_VIOLATIONS)) {
    console.error(`✗ ${law}: ${what}${session === undefined ? "" : ` (${session})`}`);
  }
  if (violations.length > SHOWN_VIOLATIONS) console.error(`… ${violations.length} in all`);
}

/** On a terminal one line that changes; elsewhere a line now and then. */
function progress(line: string, elapsedMs: number): void {
  const text = `${Math.round(elapsedMs / 1000)} s: ${line}`;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
  else if (elapsedMs - lastShownMs >= QUIET_MS) {
    lastShownMs = elapsedMs;
    console.error(text);
  }
}

function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\n");
}
