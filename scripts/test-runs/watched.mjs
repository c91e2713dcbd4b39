/**
 * Runs the test runner and watches its progress. The runner waits forever for a file that hangs outside
 * of a test: during loading, or in an endless loop. If no file or test has started or ended for a while,
 * the runner and its processes are ended, and unfinished files run once more in a new runner. So does a
 * file whose runtime or process ended. A file that is unfinished after two such runs has failed.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endTree, startGroup } from "./processes.mjs";

const PROGRESS = fileURLToPath(new URL("progress.mjs", import.meta.url));
/** Each run may hang for a while before it is ended, so more runs would take too long. */
const MAX_RUNS = 4;
const LOOK_EVERY_MS = 1_000;
/** The runner's message about a lane that ended in the middle of a file. */
const LANE_ENDED = /^Error: \[vitest-pool\]: Worker \S+ emitted error/;

/**
 * `args` are the runner's arguments without files. `say` gets every line about a run that hung. The
 * counts are of files that ended, of errors outside of a test, and of files that hung twice.
 */
export async function runWatched({ command, args, files, cwd, env, silenceMs, say }) {
  const total = { passed: 0, failed: 0, files: [] };
  const hung = new Set();
  let selected = files;
  for (let run = 1; ; run += 1) {
    const outcome = await runOnce({ command, args: [...args, ...selected], cwd, env, silenceMs });
    total.files.push(...outcome.ended);
    total.passed += sum(outcome.ended.map(({ passed }) => passed));
    const isCut = !outcome.isHung && outcome.underWay.length > 0;
    const unhandled = outcome.unhandled.filter((error) => !isCut || !LANE_ENDED.test(error));
    const failed = sum(outcome.ended.map((file) => file.failed)) + unhandled.length;
    total.failed += outcome.isHung || isCut ? failed : Math.max(failed, outcome.code === 0 ? 0 : 1);
    if (!outcome.isHung && !isCut) return total;

    const minutes = (silenceMs / 60_000).toFixed(1);
    say(
      isCut
        ? "A runtime or process of the test runner ended in the middle of a file."
        : `The test runner stood still for ${minutes} minutes and was ended.`,
    );
    // A run that finished has printed its errors itself.
    if (outcome.isHung) {
      for (const { path, errors } of outcome.ended) {
        for (const error of errors) say(`${path}: ${error}`);
      }
      for (const error of outcome.unhandled) say(error);
    }
    const retried = outcome.underWay.filter(({ path }) => !hung.has(path));
    for (const { path, test } of outcome.underWay) {
      const isSecond = hung.has(path);
      hung.add(path);
      if (isSecond) total.failed += 1;
      // The last results of an interrupted file may be missing.
      const position = test === undefined ? ", outside of a test or in a loop" : `, in "${test}"`;
      const what = isCut ? "Cut off" : "Hung";
      say(`${isSecond ? `${what} again, failed` : what}: ${path}${isCut ? "" : position}`);
    }
    selected = [...retried.map(({ path }) => path), ...outcome.notStarted];
    if (outcome.planned && selected.length === 0) return total;
    if (run === MAX_RUNS) {
      say(`Not run to the end: ${selected.join(", ") || "all"}`);
      total.failed += Math.max(selected.length, 1);
      return total;
    }
    if (!outcome.planned) selected = files;
    say(`Running once more what did not end: ${selected.join(", ") || "all"}\n`);
  }
}

const sum = (counts) => counts.reduce((one, other) => one + other, 0);

async function runOnce({ command, args, cwd, env, silenceMs }) {
  const folder = mkdtempSync(join(tmpdir(), "baton-test-"));
  const progress = join(folder, "progress");
  writeFileSync(progress, "");
  const child = startGroup(command, [...args, "--reporter=default", `--reporter=${PROGRESS}`], {
    cwd,
    env: { ...env, BATON_TEST_PROGRESS: progress },
    stdio: ["ignore", "inherit", "inherit"],
  });
  let isHung = false;
  const watch = setInterval(() => {
    if (Date.now() - statSync(progress).mtimeMs < silenceMs) return;
    isHung = true;
    endTree(child.pid);
  }, LOOK_EVERY_MS);
  const code = await new Promise((resolve) => {
    child.on("error", () => resolve(1));
    child.on("exit", (status) => resolve(status ?? 1));
  });
  clearInterval(watch);
  const lines = readFileSync(progress, "utf8").trim().split("\n").filter(Boolean);
  rmSync(folder, { recursive: true, force: true });
  return { code, isHung, ...read(lines.map((line) => JSON.parse(line))) };
}

function read(lines) {
  const planned = lines.find((line) => line.planned)?.planned;
  const ended = lines.filter((line) => line.ended).map((line) => ({ ...line, path: line.ended }));
  const isEnded = new Set(ended.map(({ path }) => path));
  const started = new Set(lines.filter((line) => line.started).map((line) => line.started));
  const testOf = new Map(lines.filter((line) => line.in).map((line) => [line.in, line.test]));
  return {
    planned,
    ended,
    underWay: [...started]
      .filter((path) => !isEnded.has(path))
      .map((path) => ({ path, test: testOf.get(path) })),
    notStarted: (planned ?? []).filter((path) => !started.has(path)),
    unhandled: lines.filter((line) => line.unhandled).map((line) => line.unhandled),
  };
}
