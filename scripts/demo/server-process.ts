/** A server as `npm start` runs it. Its output goes to a file, not to the terminal. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

interface ServerProcess {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startServerProcess(folder: string, port: string): Promise<ServerProcess> {
  const errors = openSync(join(folder, "server-errors.txt"), "w");
  const args = ["--port", port, "--data", join(folder, "data")];
  const program = join(import.meta.dirname, "../serve.ts");
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", errors],
  });
  const ended = once(child, "exit");
  const { stdout } = child;
  if (stdout === null) throw new Error("its output is a pipe");
  const lines = createInterface({ input: stdout });
  for await (const line of lines) {
    const [, url] = /serves on (\S+)$/.exec(line) ?? [];
    if (url === undefined) continue;
    // Keeps reading, so that a full pipe never blocks the server.
    stdout.resume();
    return {
      url,
      async stop() {
        child.kill("SIGTERM");
        await ended;
      },
    };
  }
  throw new Error(`the server did not start; is port ${port} taken?`);
}
