/** The temporary folder of a run of tests (scripts/test-runs/folder.mjs). */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";

const parent = mkdtempSync(join(tmpdir(), "baton-run-folder-"));
afterAll(() => rmSync(parent, { recursive: true }));

/** Creates the folder and a file in it, prints its path, and runs `lastCode`. */
const run = (isOnDisk: boolean, lastCode: string, firstCode = "") =>
  spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
       import { makeRunFolder } from "./scripts/test-runs/folder.mjs";
       ${firstCode}
       const folder = makeRunFolder({ isOnDisk: ${isOnDisk} });
       writeFileSync(folder + "/file", "text");
       process.stdout.write(folder);
       ${lastCode}`,
    ],
    { env: { ...process.env, TMPDIR: parent }, encoding: "utf8" },
  ).stdout;

it("the folder is on the disk if the run needs the disk, and is deleted with the run", () => {
  const folder = run(true, "process.exit(1)");
  expect(dirname(folder)).toBe(parent);
  expect(readdirSync(parent)).toEqual([]);
});

it("the folder is deleted with the run wherever it is", () => {
  const folder = run(false, "");
  expect(folder).toContain("baton-tests-");
  expect(existsSync(folder)).toBe(false);
});

it("the folder is created anew if a killed run with the same process id left one", () => {
  const firstCode = `mkdirSync(process.env.TMPDIR + "/baton-tests-" + process.pid + "/old", { recursive: true });`;
  const found = run(true, `process.stdout.write(" " + readdirSync(folder));`, firstCode);
  expect(found).toMatch(/baton-tests-\d+ file$/);
});

it("the folder of a killed run is deleted by the next run, and a running one keeps its own", () => {
  const leftover = run(true, `process.kill(process.pid, "SIGKILL")`);
  const others = join(parent, `baton-tests-${process.pid}`);
  mkdirSync(others);
  expect(existsSync(join(leftover, "file"))).toBe(true);
  run(true, "");
  expect(existsSync(leftover)).toBe(false);
  expect(existsSync(others)).toBe(true);
});
