/** The watch over the test runner, on files that hang on purpose (test/support/hanging). */
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

/** Without what this runner tells its own workers: a runner inside it would use one lane. */
const outerEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST)/.test(name)),
);

async function run(kind: string) {
  const said: string[] = [];
  const told = await runWatched({
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
    say: (line) => said.push(line),
  });
  return { told, text: said.join("\n") };
}

it("runs once more a file whose process ended under it", async () => {
  const { told, text } = await run("exiting");
  const paths = told.files.map(({ path }) => path);
  expect(paths.toSorted()).toEqual(["1-once.exiting.ts", "3-other.exiting.ts"]);
  expect(linesOf("exiting-first")).toEqual(["run"]);
  expect(told).toMatchObject({ passed: 3, failed: 1 });
  expect(text).toContain("Cut off: 1-once.exiting.ts\n");
  expect(text).toContain("Cut off again, failed: 2-always.exiting.ts");
});

it("ends a runner that stands still, and runs once more what had not ended", async () => {
  const { told, text } = await run("hanging");
  const paths = told.files.map(({ path }) => path);
  expect(paths.toSorted()).toEqual(
    ["1-first", "2-once", "4-later"].map((it) => `${it}.hanging.ts`),
  );
  // What ended is not run again, and what had no turn is not forgotten.
  expect(linesOf("hanging-first")).toEqual(["run"]);
  // One test of the last file fails, and the file that hung twice.
  expect(told).toMatchObject({ passed: 4, failed: 2 });
  expect(text).toContain('Hung: 2-once.hanging.ts, in "waits for ever, once"');
  expect(text).toContain("Hung: 3-always.hanging.ts, outside of a test or in a loop");
  expect(text).toContain(
    "Running once more what did not end: 2-once.hanging.ts, 3-always.hanging.ts, 4-later.hanging.ts",
  );
  expect(text).toContain("Hung again, failed: 3-always.hanging.ts, outside of a test or in a loop");
  // A run that is ended prints no errors at its end: they are told here.
  expect(text).toContain("this failure");
  // Two runners and what each of them had started, in groups of their own.
  expect(linesOf("hanging-pids")).toHaveLength(4);
  for (const pid of linesOf("hanging-pids"))
    await expect.poll(() => isAlive(Number(pid))).toBe(false);
});
