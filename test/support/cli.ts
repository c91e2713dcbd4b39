/** Runs the installed `baton` with a separate home folder. */
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./server.ts";

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Cli {
  readonly home: string;
  run(
    args: readonly string[],
    options?: { env?: NodeJS.ProcessEnv; input?: string },
  ): Promise<CliResult>;
  start(args: readonly string[], env?: NodeJS.ProcessEnv): RunningCli;
  /** Runs it with --json and returns the parsed output. Fails unless the exit code is 0. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  json(...args: readonly string[]): Promise<any>;
}

export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliResult>;
  readonly output: () => Pick<CliResult, "stdout" | "stderr">;
}

export function cliFor(url: string, home: string): Cli {
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}): RunningCli => {
    const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
    const child = spawn(process.execPath, [join(ROOT, "dist/cli.js"), ...args], {
      env: { ...inherited, BATON_HOME: home, BATON_URL: url, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const ended = new Promise<CliResult>((resolve) =>
      child.once("close", (code) => resolve({ code, stdout, stderr })),
    );
    return { child, ended, output: () => ({ stdout, stderr }) };
  };
  const run: Cli["run"] = (args, { env = {}, input = "" } = {}) => {
    const { child, ended } = start(args, env);
    child.stdin?.end(input);
    return ended;
  };
  return {
    home,
    run,
    start,
    async json(...args) {
      const { code, stdout, stderr } = await run([...args, "--json"]);
      if (code !== 0) throw new Error(`baton ${args.join(" ")} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}
