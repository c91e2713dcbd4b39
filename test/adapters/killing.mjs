/** Starts a process repeatedly, and kills it at a random moment after it has reported that it is ready. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export async function killRepeatedly(script, args, kills, withinMs) {
  let killed = 0;
  for (;;) {
    const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) =>
      child.once("close", (code, signal) => resolve([code, signal])),
    );
    const ready = new Promise((resolve) => child.stdout.once("data", resolve));
    await Promise.race([ready, ended]);
    if (killed < kills) {
      await Promise.race([sleep(Math.random() * withinMs), ended]);
      child.kill("SIGKILL");
    }
    const [code, signal] = await ended;
    if (signal === "SIGKILL") killed += 1;
    else if (code === 0) return killed;
    else throw new Error(`${script} ended with ${code}`);
  }
}
