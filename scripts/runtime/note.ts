/**
 * The note that a runtime leaves in its data folder, `<pid> <its configuration>`, and whether that
 * runtime has ended. The pid alone may belong to another process by now; the configuration's path
 * is random and occurs in no other command.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

export const NOTE = "runtime";

export function hasEnded(note: string): boolean {
  const [, pid, config] = /^(\d+) (.+)\n$/.exec(textOf(note)) ?? [];
  return pid === undefined || config === undefined || !commandOf(pid).includes(config);
}

const commandOf = (pid: string): string =>
  existsSync("/proc/self/cmdline")
    ? textOf(`/proc/${pid}/cmdline`)
    : spawnSync("ps", ["-o", "command=", "-p", pid], { encoding: "utf8" }).stdout;

/** Empty if there is no such file. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
