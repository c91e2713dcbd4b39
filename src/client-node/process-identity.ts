/** Names a process of this machine, so that another one can tell whether it still lives. */
import { readFileSync } from "node:fs";

/** Its number and when it started, because numbers come again. */
export const processIdentity = (): string => `${process.pid} ${startTimeOf(process.pid)}`;

/** Whether the process that a text begins with still lives. */
export function isAlive(holder: string): boolean {
  const [first = "", start = ""] = holder.split(" ");
  const pid = Number(first);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: there is one, and it is not ours.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const now = startTimeOf(pid);
  // Another process may have got the same number since.
  return now === "" || start === "" || now === start;
}

/** When the process started, in the kernel's ticks; empty where the system does not tell. */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
