/** The watchdog of the test runner, on files that hang on purpose (test/support/hanging). */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runWatched } from "../../scripts/test-runs/watched.mjs";

const folder = mkdtempSync(join(tmpdir(), "baton-hanging-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const linesOf = (name: string): readonly string[] =>
  readFileSync(join(folder, name), "utf8").trim().split("\n");

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Without the variables of this runner's workers: with them an inner runner would use one lane. */
const outerEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST)/.test(name)),
);

async function run(kind: string) {
  const lines: string[] = [];
  const outcome = await runWatched({
    command: "vitest",
    args: ["run"],
    files: [],
    cwd: join(import.meta.dirname, "../support/hanging"),
    env: {
      ...outerEnvironment,
      HANGING_KIND: kind,
      HANGING_FIRST: join(folder, `${kind}-first`),
      HANGING_MARK: join(folder, `${kind}-mark`),
      HANGING_PIDS: join(folder, `${kind}-pids`),
    },
    silenceMs: 8_000,
    say: (line) => lines.push(line),
  });
  return { told: outcome, text: lines.join("\n") };
}

it("reruns a file when its process has crashed", async () => {
  const { told: outcome, text } = await run("exiting");
  const paths = outcome.files.map(({ path }) => path);
  expect(paths.toSorted()).toEqual(["1-once.exiting.ts", "3-other.exiting.ts"]);
  expect(linesOf("exiting-first")).toEqual(["run"]);
  expect(outcome).toMatchObject({ passed: 3, failed: 1 });
  expect(text).toContain("Cut off: 1-once.exiting.ts\n");
  expect(text).toContain("Cut off again, failed: 2-always.exiting.ts");
});

it("ends a hung runner, and reruns the files that had not ended", async () => {
  const { told: outcome, text } = await run("hanging");
  const paths = outcome.files.map(({ path }) => path);
  expect(paths.toSorted()).toEqual(
    ["1-first", "2-once", "4-later"].map((it) => `${it}.hanging.ts`),
  );
  // Files that ended are not rerun, and files that had not started are not forgotten.
  expect(linesOf("hanging-first")).toEqual(["run"]);
  // The failures are one test of the last file, and the file that hung twice.
  expect(outcome).toMatchObject({ passed: 4, failed: 2 });
  expect(text).toContain('Hung: 2-once.hanging.ts, in "waits for ever, once"');
  expect(text).toContain("Hung: 3-always.hanging.ts, outside of a test or in a loop");
  expect(text).toContain(
    "Running once more what did not end: 2-once.hanging.ts, 3-always.hanging.ts, 4-later.hanging.ts",
  );
  expect(text).toContain("Hung again, failed: 3-always.hanging.ts, outside of a test or in a loop");
  // A run that is ended prints no errors at its end, so they are printed here.
  expect(text).toContain("this failure");
  // Two runners and the processes that each of them had started, in groups of their own.
  expect(linesOf("hanging-pids")).toHaveLength(4);
  for (const pid of linesOf("hanging-pids"))
    await expect.poll(() => isAlive(Number(pid))).toBe(false);
});
