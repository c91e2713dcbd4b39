/**
 * A bash process that runs the shell blocks of a document one after another, as in a terminal.
 * A command that fails ends it, and with it the document's test.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ROOT } from "../server.ts";

/** Never part of a program's output. */
const MARK = "\u001E";

export class Shell {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #output = "";
  #ended = false;
  #wake = (): void => {};
  #count = 0;

  /** The folder contains the examples and the built package, as a clone does. */
  constructor(folder: string, url: string) {
    this.#folder = folder;
    const bin = join(folder, ".bin");
    mkdirSync(bin, { recursive: true });
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    symlinkSync(join(ROOT, "dist/cli.js"), join(bin, "baton"));
    for (const name of ["examples", "dist"]) symlinkSync(join(ROOT, name), join(folder, name));
    for (const name of ["@modelcontextprotocol", "zod"]) {
      symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
    }
    mkdirSync(join(folder, "node_modules/@baton-sessions"));
    symlinkSync(ROOT, join(folder, "node_modules/@baton-sessions/baton"));
    const { NO_COLOR: _, FORCE_COLOR: __, VITEST: ___, ...inherited } = process.env;
    this.#env = {
      ...inherited,
      PATH: [bin, inherited["PATH"]].join(delimiter),
      BATON_URL: url,
      BATON_HOME: join(folder, ".home"),
      COLUMNS: "200",
    };
  }

  /** Returns both outputs together, as a terminal shows them. */
  async run(script: string): Promise<string> {
    const child = (this.#child ??= this.#start());
    const file = join(this.#folder, `.block-${++this.#count}.sh`);
    writeFileSync(file, `${script}\n`);
    const from = this.#output.length;
    child.stdin?.write(`source ${file} </dev/null\nprintf '${MARK}'\n`);
    await new Promise<void>((resolve) => {
      this.#wake = () => {
        if (this.#ended || this.#output.includes(MARK, from)) resolve();
      };
      this.#wake();
    });
    const printed = this.#output.slice(from);
    if (!printed.includes(MARK))
      throw new Error(`a command failed:\n${script}\nIts output:\n${printed}`);
    return printed.slice(0, printed.indexOf(MARK));
  }

  /** Runs a program of the documents, in the same folder and environment. */
  runNode(name: string, text: string): Promise<string> {
    writeFileSync(join(this.#folder, name), text);
    return this.run(`node ${name}`);
  }

  /** Ends the shell and every process that it left running. */
  async end(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const closed = new Promise((resolve) => child.once("exit", resolve));
    try {
      process.kill(-child.pid, "SIGKILL");
      if (!this.#ended) await closed;
    } catch {
      // The group is gone already.
    }
  }

  #start(): ChildProcess {
    const child = spawn("bash", ["-s"], {
      cwd: this.#folder,
      env: this.#env,
      stdio: ["pipe", "pipe", "inherit"],
      detached: true,
    });
    child.stdin?.write("exec 2>&1; set -euo pipefail\n");
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      this.#wake();
    });
    // A process it left running may keep its output open, and then "close" never fires.
    child.once("exit", () => {
      this.#ended = true;
      setImmediate(() => this.#wake());
    });
    return child;
  }
}
