/** The workerd process that this process started: its pid, its memory, its end. Linux only. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 20;

export function ownRuntimePid(): number {
  const found = readdirSync("/proc").find((pid) => /^\d+$/.test(pid) && isOwnRuntime(pid));
  return found === undefined ? 0 : Number(found);
}

function isOwnRuntime(pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, command, parent] = /\((.*)\) [A-Y] (\d+) /s.exec(stat) ?? [];
    return command === "workerd" && Number(parent) === process.pid;
  } catch {
    return false;
  }
}

export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** kill -9. Resolves with the pid of the replacement once it answers. */
export async function killOwnRuntime(url: string): Promise<number> {
  const killed = ownRuntimePid();
  process.kill(killed, "SIGKILL");
  for (;;) {
    await sleep(POLL_MS);
    const next = ownRuntimePid();
    const answers = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (next !== 0 && next !== killed && answers) return next;
  }
}
