/** Processes that a run of tests starts: begun as a group of their own, ended whole. */
import { spawn, spawnSync } from "node:child_process";

/** Those that run now, ended with this process. */
const running = new Set();

/** A detached child is the leader of a group, so that what it leaves behind can be ended by its number. */
export function startGroup(command, args, options) {
  const child = spawn(command, args, { ...options, detached: true });
  if (child.pid !== undefined) running.add(child.pid);
  // Sent once it is gone: what it started and forgot ends with it.
  child.on("exit", () => {
    signal(-child.pid);
    running.delete(child.pid);
  });
  return child;
}

/** Ends a process and all it started, also what has a group of its own (a server, for instance). */
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

/** A group does not hear what is pressed in a terminal: it is told. */
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
