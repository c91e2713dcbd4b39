/** Client processes that read one command per line from standard input. They can be killed with -9. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface ClientProcess {
  /** Null if the process was killed before it could answer. */
  run(command: object): Promise<{ readonly value?: unknown; readonly error?: unknown } | null>;
  kill(): Promise<void>;
}

/** The setup that one script gives to each of its client processes. */
export interface ClientSetup {
  readonly url: string;
  readonly folder: string;
  readonly bug: string | null;
}

/** A pool of processes of one client. Starting one takes longer than a script, so idle ones are reused. */
export class ClientProcesses implements AsyncDisposable {
  readonly #command: readonly string[];
  readonly #idle: ClientProcess[] = [];

  /** `command` is a program with its arguments. */
  constructor(command: readonly string[]) {
    this.#command = command;
  }

  async start(setup: ClientSetup): Promise<ClientProcess> {
    const client = this.#idle.pop() ?? startClientProcess(this.#command);
    const started = await client.run({ do: "begin", ...setup });
    if (started === null || started.error !== undefined)
      throw new Error("a client process did not start");
    return client;
  }

  /** Returns a process to the pool. It must have answered every command. */
  release(client: ClientProcess): void {
    this.#idle.push(client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#idle.splice(0)) await client.kill();
  }
}

function startClientProcess([program = "", ...args]: readonly string[]): ClientProcess {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  // A killed process cannot read its next line.
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
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
