/** Clients in processes of their own that are told, line by line, what to do. They can be killed with -9. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface ClientProcess {
  /** Null where the process was killed before it could answer. */
  run(command: object): Promise<{ readonly value?: unknown; readonly error?: unknown } | null>;
  kill(): Promise<void>;
}

/** What one script gives to each of its players. */
export interface ClientSetup {
  readonly url: string;
  readonly folder: string;
  readonly bug: string | null;
}

/** Processes of one client. Starting one takes longer than a script: who is left plays the next. */
export class ClientProcesses implements AsyncDisposable {
  readonly #command: readonly string[];
  readonly #idle: ClientProcess[] = [];

  /** `command` is a program with its arguments. */
  constructor(command: readonly string[]) {
    this.#command = command;
  }

  async start(stage: ClientSetup): Promise<ClientProcess> {
    const player = this.#idle.pop() ?? startClientProcess(this.#command);
    const begun = await player.run({ do: "begin", ...stage });
    if (begun === null || begun.error !== undefined) throw new Error("a player did not begin");
    return player;
  }

  /** For one that has answered everything that it was asked. */
  release(player: ClientProcess): void {
    this.#idle.push(player);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const player of this.#idle.splice(0)) await player.kill();
  }
}

function startClientProcess([program = "", ...args]: readonly string[]): ClientProcess {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((settle) => child.once("close", () => settle()));
  // A killed one does not take its next line.
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(asked) {
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
