/**
 * `npm run torture`: random operations by many participants over every face while faults strike, and
 * a check of every session's whole history. Ends with 1, what is wrong and the seed, if anything is.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { table, tell, withFigures } from "../test/support/torture/report.ts";
import { runTorture, type RunReport } from "../test/support/torture/run.ts";

const HELP = `Usage: npm run torture -- [--seed N] [--minutes M] [--kills K] [--json] [--write-docs]

  --seed        draws the same operations and the same faults again (default: a new one)
  --minutes     how long sessions are begun and faults strike (default 2)
  --kills       how often the runtime is killed with -9 (default: four a minute)
  --json        the figures as JSON on stdout instead of a table
  --write-docs  puts the figures into docs/reliability.md`;

const PAGE = join(import.meta.dirname, "../docs/reliability.md");
const SHOWN_VIOLATIONS = 20;
const QUIET_MS = 10_000;

interface Options {
  readonly seed: number;
  readonly minutes: number;
  readonly kills: number;
  readonly isJson: boolean;
  readonly writesDocs: boolean;
}

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: "string", default: String(Date.now() % 1_000_000) },
        minutes: { type: "string", default: "2" },
        kills: { type: "string" },
        json: { type: "boolean", default: false },
        "write-docs": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    const seed = figure("--seed", values.seed);
    const minutes = figure("--minutes", values.minutes);
    const kills = figure("--kills", values.kills ?? String(Math.round(4 * minutes)));
    return { seed, minutes, kills, isJson: values.json, writesDocs: values["write-docs"] };
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

/** On a terminal one line that changes; elsewhere a line now and then. */
function showProgress(figures: RunReport["figures"], elapsedMs: number): void {
  const line = `${Math.round(elapsedMs / 1000)} s: ${figures.line()}`;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`);
  else if (elapsedMs % QUIET_MS < 1_000) console.error(line);
}

const { seed, minutes, kills, isJson, writesDocs } = readOptions();
const command = `npm run torture -- --seed ${seed} --minutes ${minutes} --kills ${kills}`;
// So that what runs at the end of this process also runs when it is ended from outside.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
console.error(`Seed ${seed}. The same again: ${command}`);
const report = await runTorture({
  seed,
  kills,
  durationMs: minutes * 60_000,
  onProgress: showProgress,
});
if (process.stderr.isTTY) process.stderr.write("\n");
const told = tell(report, seed, command);
console.log(isJson ? JSON.stringify(told, null, 2) : table(told));
const { violations } = report.figures;
if (violations.length > 0) {
  const shown = violations.slice(0, SHOWN_VIOLATIONS);
  for (const { session, rule, what } of shown) console.error(`✗ ${rule}: ${what} (${session})`);
  if (violations.length > shown.length) console.error(`… ${violations.length} in all`);
  console.error(`This was seed ${seed}. To repeat it: ${command}`);
}
if (writesDocs) {
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, "utf8"), told));
  execFileSync("prettier", ["--write", PAGE], { stdio: "ignore" });
}
process.exit(violations.length === 0 ? 0 : 1);
