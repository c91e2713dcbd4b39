/**
 * The program that `baton run` runs. It writes its output and its exit code directly to files, so
 * that both outlive `baton run` itself.
 */
import { spawn } from "node:child_process";
import { openSync, closeSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface ProgramExit {
  /** Null if it is not known. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface Program {
  readonly pid: number;
  readonly exited: Promise<ProgramExit>;
  interrupt(): void;
  kill(): void;
}

const POLL_MS = 100;

export function startProgram(
  command: readonly string[],
  paths: { readonly output: string; readonly exit: string },
  env: Readonly<Record<string, string>>,
): Program {
  const output = openSync(paths.output, "a", 0o600);
  // Its own process group, so that only `baton run` forwards Ctrl-C to it.
  const child = spawn(
    "/bin/sh",
    ["-c", `"$@"; code=$?; echo $code >"$0"; exit $code`, paths.exit, ...command],
    { detached: true, stdio: ["inherit", output, output], env: programEnv(process.env, env) },
  );
  closeSync(output);
  const ended = new Promise<ProgramExit>((resolve) => {
    child.once("error", () => resolve({ exitCode: 127, signal: null }));
    child.once("exit", (code, signal) =>
      resolve({ exitCode: code ?? exitCodeIn(paths.exit), signal }),
    );
  });
  const { pid = 0 } = child;
  return programOf(pid, ended);
}

const programOf = (pid: number, exited: Promise<ProgramExit>): Program => ({
  pid,
  exited,
  interrupt: () => signalGroup(pid, "SIGINT"),
  kill: () => signalGroup(pid, "SIGKILL"),
});

/** Watches a program that an earlier `baton run` started. */
export function adoptProgram(pid: number, exitPath: string): Program {
  const ended = (async (): Promise<ProgramExit> => {
    while (isRunning(pid) && exitCodeIn(exitPath) === null) await sleep(POLL_MS);
    return { exitCode: exitCodeIn(exitPath), signal: null };
  })();
  return programOf(pid, ended);
}

function exitCodeIn(path: string): number | null {
  try {
    const text = readFileSync(path, "utf8").trim();
    return /^\d+$/.test(text) ? Number(text) : null;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 1) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process is gone already.
  }
}

/** Owners' keys, sessions' tokens, and settings of a server on the same machine. */
const SECRET =
  /^(?:BATON_\w*(?:KEY|TOKEN|SECRET)S?|METRICS_TOKEN|SEALING_KEYS|SIGNING_KEYS|OWNERS|AGENTS|OIDC)$/i;

export const programEnv = (
  inherited: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !SECRET.test(name))),
  ...added,
});
