/** The temporary folder of a run of tests (scripts/test-runs/folder.mjs). */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";

const parent = mkdtempSync(join(tmpdir(), "baton-run-folder-"));
afterAll(() => rmSync(parent, { recursive: true }));

/** Makes the folder and a file in it, prints its path, and ends as `ending` says. */
const run = (isOnDisk: boolean, ending: string, beforehand = "") =>
  spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
       import { makeRunFolder } from "./scripts/test-runs/folder.mjs";
       ${beforehand}
       const folder = makeRunFolder({ isOnDisk: ${isOnDisk} });
       writeFileSync(folder + "/file", "text");
       process.stdout.write(folder);
       ${ending}`,
    ],
    { env: { ...process.env, TMPDIR: parent }, encoding: "utf8" },
  ).stdout;

it("is on the disk where the disk is wanted, and gone with the run", () => {
  const folder = run(true, "process.exit(1)");
  expect(dirname(folder)).toBe(parent);
  expect(readdirSync(parent)).toEqual([]);
});

it("is gone with the run wherever it is", () => {
  const folder = run(false, "");
  expect(folder).toContain("baton-tests-");
  expect(existsSync(folder)).toBe(false);
});

it("is made anew where a killed run that had the same number left one", () => {
  const beforehand = `mkdirSync(process.env.TMPDIR + "/baton-tests-" + process.pid + "/old", { recursive: true });`;
  const found = run(true, `process.stdout.write(" " + readdirSync(folder));`, beforehand);
  expect(found).toMatch(/baton-tests-\d+ file$/);
});

it("goes with the next run where a run was killed, and what still runs keeps its own", () => {
  const left = run(true, `process.kill(process.pid, "SIGKILL")`);
  const others = join(parent, `baton-tests-${process.pid}`);
  mkdirSync(others);
  expect(existsSync(join(left, "file"))).toBe(true);
  run(true, "");
  expect(existsSync(left)).toBe(false);
  expect(existsSync(others)).toBe(true);
});
