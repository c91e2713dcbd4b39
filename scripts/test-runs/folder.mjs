/**
 * The temporary folder of one run of tests, gone when the run ends. It is in memory where the machine has
 * room for it: tests make and delete tens of thousands of small files, and on a disk that took a quarter
 * of the CPU and a third of the time. What a killed process wrote is there as it is on a disk.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** Several times what a run has at once. */
const ENOUGH_BYTES = 6 * 2 ** 30;
const PREFIX = "baton-tests-";

export function makeRunFolder({ isOnDisk }) {
  const parent = !isOnDisk && isRoomy() ? MEMORY : tmpdir();
  clearAway(parent);
  const folder = join(parent, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { mode: 0o700 });
  process.on("exit", () => remove(folder));
  return folder;
}

function isRoomy() {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  // Of the machine, or of the container where that has less.
  const free = process.availableMemory?.() ?? freemem();
  return Math.min(bavail * bsize, free) >= ENOUGH_BYTES;
}

/** What runs left that were killed. */
function clearAway(parent) {
  for (const name of readdirSync(parent)) {
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
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Of another user, or written to at this moment: the next run removes it.
  }
}
