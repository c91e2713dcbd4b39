/**
 * The temporary folder of one test run, removed when the run ends. It is in memory if the machine has
 * enough: tests create and delete tens of thousands of small files, and on a disk that took a quarter of
 * the CPU and a third of the time. Writes of a killed process survive as on a disk.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** Several times the peak usage of a run. */
const ENOUGH_BYTES = 6 * 2 ** 30;
const PREFIX = "baton-tests-";

export function makeRunFolder({ isOnDisk }) {
  const parent = !isOnDisk && isRoomy() && runsPrograms() ? MEMORY : tmpdir();
  clearAway(parent);
  const folder = join(parent, `${PREFIX}${process.pid}`);
  // Left by a killed run with the same pid, as in a container.
  remove(folder);
  fs.mkdirSync(folder, { mode: 0o700 });
  process.on("exit", () => remove(folder));
  return folder;
}

function isRoomy() {
  if (!fs.existsSync(MEMORY)) return false;
  const { bavail, bsize } = fs.statfsSync(MEMORY);
  // The memory of the machine, or of the container if that has less.
  const free = process.availableMemory?.() ?? freemem();
  return Math.min(bavail * bsize, free) >= ENOUGH_BYTES;
}

/** Containers may forbid execution there, and the bundled browser is unpacked into the folder. */
function runsPrograms() {
  const program = join(MEMORY, `${PREFIX}${process.pid}.sh`);
  try {
    fs.writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    return spawnSync(program).status === 0;
  } catch {
    return false;
  } finally {
    remove(program);
  }
}

/** Removes the folders of killed runs. */
function clearAway(parent) {
  for (const name of fs.readdirSync(parent)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : 0;
    if (pid > 0 && !isRunning(pid)) remove(join(parent, name));
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

function remove(folder) {
  try {
    fs.rmSync(folder, { recursive: true, force: true });
  } catch {
    // It belongs to another user, or is being written: the next run removes it.
  }
}
