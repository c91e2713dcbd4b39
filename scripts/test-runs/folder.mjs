/**
 * The temporary folder of one run of tests, gone when the run ends. It is in memory where the machine has
 * room for it: tests make and delete tens of thousands of small files, and on a disk that took a quarter
 * of the CPU and a third of the time. What a killed process wrote is there as it is on a disk.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** Several times what a run has at once. */
const ENOUGH_BYTES = 6 * 2 ** 30;
const PREFIX = "baton-tests-";

export function makeRunFolder({ isOnDisk }) {
  const parent = !isOnDisk && isRoomy() && runsPrograms() ? MEMORY : tmpdir();
  clearAway(parent);
  const folder = join(parent, `${PREFIX}${process.pid}`);
  // Left by a killed run that had the same number, as in a container.
  remove(folder);
  fs.mkdirSync(folder, { mode: 0o700 });
  process.on("exit", () => remove(folder));
  return folder;
}

function isRoomy() {
  if (!fs.existsSync(MEMORY)) return false;
  const { bavail, bsize } = fs.statfsSync(MEMORY);
  // Of the machine, or of the container where that has less.
  const free = process.availableMemory?.() ?? freemem();
  return Math.min(bavail * bsize, free) >= ENOUGH_BYTES;
}

/** Containers may forbid it there, and the bundled browser is unpacked into the folder. */
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

/** What runs left that were killed. */
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
    // Of another user, or written to at this moment: the next run removes it.
  }
}
