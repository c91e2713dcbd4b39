/** Processes of a test run: each starts as a separate group and ends with all its children. */
import { spawn, spawnSync } from "node:child_process";

/** Running processes, which end with this process. */
const running = new Set();

/** A detached child leads a group, so that its remaining children can be ended by the group's id. */
export function startGroup(command, args, options) {
  const child = spawn(command, args, { ...options, detached: true });
  if (child.pid !== undefined) running.add(child.pid);
  // Sent after its exit: ends children that it left running.
  child.on("exit", () => {
    signal(-child.pid);
    running.delete(child.pid);
  });
  return child;
}

/** Ends a process and all its descendants, also those in other groups (a server, for instance). */
export function endTree(pid) {
  for (const each of [pid, ...descendantsOf(pid)]) {
    signal(-each);
    signal(each);
  }
}

function signal(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}

function descendantsOf(pid) {
  const listed = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const children = new Map();
  for (const line of (listed.stdout ?? "").trim().split("\n")) {
    const [child, parent] = line.trim().split(/\s+/).map(Number);
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const found = [];
  const walk = (of) => {
    for (const child of children.get(of) ?? []) {
      found.push(child);
      walk(child);
    }
  };
  walk(pid);
  return found;
}

/** A separate group does not receive the terminal's signals, so they are forwarded. */
for (const [name, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
]) {
  process.on(name, () => {
    for (const pid of running) endTree(pid);
    process.exit(code);
  });
}
