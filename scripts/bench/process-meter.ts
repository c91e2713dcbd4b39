/** The CPU time and memory of a process. Linux only; elsewhere all values are 0. */
import { readdirSync, readFileSync } from "node:fs";

/** The unit of CPU times in /proc, the same on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;
const PAGE_BYTES = 4096;

const readProc = (path: string): string => {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return "";
  }
};

/** The fields after the command in /proc/pid/stat: the command itself may contain spaces. */
const statOf = (pid: number | string): readonly string[] => {
  const stat = readProc(`${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
};

/** Running runtimes that a process has started, by default this one. */
export function ownRuntimes(parent = process.pid): readonly number[] {
  let names: readonly string[] = [];
  try {
    names = readdirSync("/proc");
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name) && readProc(`${name}/comm`).trim() === "workerd")
    .filter((name) => Number(statOf(name)[1]) === parent)
    .map(Number);
}

/** User and system time of all its threads so far. */
export function cpuSeconds(pid: number): number {
  const stat = statOf(pid);
  return (Number(stat[11] ?? 0) + Number(stat[12] ?? 0)) / TICKS_A_SECOND;
}

export const residentMb = (pid: number): number =>
  (Number(readProc(`${pid}/statm`).split(" ")[1] ?? 0) * PAGE_BYTES) / 1024 ** 2;

const SAMPLE_MS = 25;

/** Samples a process's memory until stopped, and returns the maximum. */
export function watchMemory(pid: number): () => number {
  let peak = residentMb(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMb(pid));
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return Math.max(peak, residentMb(pid));
  };
}
