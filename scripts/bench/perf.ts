/** Linux's `perf`, which samples the threads of a process while they use the CPU. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

export const SAMPLES_A_SECOND = 4_000;

/** Samples from when this resolves until `end` is called. perf acknowledges its commands. */
export async function startPerf(pid: number, file: string): Promise<{ end(): Promise<void> }> {
  const options = `-q -D -1 --control fd:3,4 -e cpu-clock -F ${SAMPLES_A_SECOND} -g -p ${pid}`;
  const perf = spawn("perf", ["record", ...options.split(" "), "-o", file], {
    stdio: ["ignore", "ignore", "inherit", "pipe", "pipe"],
  });
  const ended = once(perf, "exit");
  const command = async (word: string): Promise<void> => {
    const acknowledged = once(perf.stdio[4] as Readable, "data");
    (perf.stdio[3] as Writable).write(`${word}\n`);
    await Promise.race([acknowledged, ended]);
    if (perf.exitCode !== null) throw new Error("perf cannot sample here; what it said is above");
  };
  await command("enable");
  return {
    async end() {
      await command("disable");
      perf.kill("SIGINT");
      await ended;
    },
  };
}

/** The frames of each sample, innermost first. */
export async function readStacks(
  file: string,
  onStack: (stack: readonly string[]) => void,
): Promise<void> {
  const args = ["script", "-i", file, "-F", "ip,sym", "--no-inline"];
  const script = spawn("perf", args, { stdio: ["ignore", "pipe", "ignore"] });
  let stack: string[] = [];
  for await (const line of createInterface(script.stdout)) {
    const frame = line.trim();
    if (frame !== "") stack.push(frame.slice(frame.indexOf(" ") + 1));
    else if (stack.length > 0) onStack(stack.splice(0));
  }
  if (stack.length > 0) onStack(stack);
}
