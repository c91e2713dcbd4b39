/** A client in a process of its own that is told, line by line, what to do. It can be killed with -9. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Player {
  /** Null where the process was killed before it could answer. */
  ask(command: object): Promise<{ readonly value?: unknown; readonly error?: unknown } | null>;
  kill(): Promise<void>;
}

/** `command` is a program with its arguments; it gets an address, a folder and perhaps a bug. */
export function startPlayer(
  command: readonly string[],
  url: string,
  folder: string,
  bug: string | null,
): Player {
  const [program = "", ...args] = command;
  const all = [...args, url, folder, ...(bug === null ? [] : [bug])];
  const child = spawn(program, all, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((settle) => child.once("close", () => settle()));
  // A killed one does not take its next line.
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(asked) {
      child.stdin.write(`${JSON.stringify(asked)}\n`);
      const line = await lines.next();
      if (line.done !== true) return JSON.parse(line.value) as { value?: unknown; error?: unknown };
      await ended;
      return null;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
