/**
 * Identifies a process of this machine, so that another process can check whether it still runs.
 */
import { readFileSync } from "node:fs";

/** The process id and start time, because process ids are reused. */
export const processIdentity = (): string => `${process.pid} ${startTimeOf(process.pid)}`;

/** Whether the process that a text starts with still runs. */
export function isAlive(holder: string): boolean {
  const [first = "", start = ""] = holder.split(" ");
  const pid = Number(first);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const now = startTimeOf(pid);
  // Another process may have received the same id since.
  return now === "" || start === "" || now === start;
}

/** When the process started, in kernel ticks; empty if the system does not provide it. */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
