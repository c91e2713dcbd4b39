/**
 * Runs a server as users do: `scripts/serve.ts` or `scripts/start.mjs` in a separate process group, with
 * data in a folder that outlives it. It knows the process, its output and its runtime, and nothing of
 * the product.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "./client.ts";

export const ROOT = join(import.meta.dirname, "../..");
const POLL_MS = 20;
/** The folder for keys of test servers, never the user's config folder. */
const HOME = join(tmpdir(), `baton-e2e-home-${process.pid}`);

/** All scripts that were started here and still run. */
export const running = new Set<Script>();

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A script of the project in a separate process group, as a terminal starts it. */
export class Script {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  #stdout = "";
  #stderr = "";
  #isRunning = true;

  /** `hosts` is a file that replaces /etc/hosts for this process and its children. */
  constructor(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, hosts?: string) {
    const command = [process.execPath, join(ROOT, "scripts", name), ...args];
    const bound = 'mount --bind "$0" /etc/hosts && exec "$@"';
    const [program = "", ...programArgs] =
      hosts === undefined ? command : ["unshare", "-Urm", "sh", "-c", bound, hosts, ...command];
    this.#child = spawn(program, programArgs, {
      cwd: ROOT,
      env: { ...process.env, BATON_HOME: HOME, BATON_BUILD_DOCS: "false", ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.#stdout += text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    running.add(this);
    this.ended = new Promise((resolve) => {
      // Only "close" fires after the last output.
      this.#child.once("close", (code, signal) => {
        this.#isRunning = false;
        running.delete(this);
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("the script did not start");
    return this.#child.pid;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Resolves with the match of the pattern on stdout. Fails if the script ends before that. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#stdout);
      if (found !== null) return found;
      if (!this.#isRunning)
        throw new Error(`the script ended with this output: ${this.#stdout}${this.#stderr}`);
      await sleep(POLL_MS);
    }
  }

  /** Ctrl-C: sends the signal to every process of the group, including the runtime. */
  interrupt(): Promise<Ended> {
    this.#signalGroup("SIGINT");
    return this.ended;
  }

  kill(): Promise<Ended> {
    this.#signalGroup("SIGKILL");
    return this.ended;
  }

  #signalGroup(signal: NodeJS.Signals): void {
    if (this.#isRunning) process.kill(-this.pid, signal);
  }
}

export interface Server {
  readonly script: Script;
  readonly url: string;
  readonly client: Client;
  stop(): Promise<Ended>;
  runtimePid(): number | undefined;
  /** kill -9 of workerd alone. Resolves with the pid of its replacement. */
  killRuntime(): Promise<number>;
}

export async function startServer(
  data: string,
  port?: number,
  env: NodeJS.ProcessEnv = {},
  hosts?: string,
): Promise<Server> {
  const chosen = port ?? (await freePort());
  const script = new Script("serve.ts", ["--port", String(chosen), "--data", data], env, hosts);
  const [, url = ""] = await script.prints(/serves on (\S+)\n/);
  const runtimePid = (): number | undefined => childOf(script.pid, "workerd");
  return {
    script,
    url,
    client: clientOf(url),
    stop: () => script.interrupt(),
    runtimePid,
    async killRuntime() {
      const killed = runtimePid();
      if (killed === undefined) throw new Error("there is no runtime to kill");
      process.kill(killed, "SIGKILL");
      for (;;) {
        await sleep(POLL_MS);
        const next = runtimePid();
        if (next !== undefined && next !== killed && (await answers(url))) return next;
      }
    },
  };
}

/**
 * Opens a connection for each request. The server may close a keep-alive connection at the moment it is
 * reused, which looks like a lost request.
 */
export const clientOf = (url: string): Client =>
  new Client(
    (request) => fetch(request, { headers: { ...headersOf(request), Connection: "close" } }),
    url,
  );

const headersOf = ({ headers }: Request): Record<string, string> => Object.fromEntries(headers);

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Below the ephemeral ports, so that no outgoing connection uses the port. */
const PORTS = [11_000, 32_768] as const;

/** Free on both loopback addresses: `localhost` may mean either. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    if ((await isFree(port, "127.0.0.1")) && (await isFree(port, "::1"))) return port;
  }
}

const isFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "EADDRINUSE"));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });

export interface DataFolder extends Disposable {
  readonly path: string;
}

export function temporaryFolder(): DataFolder {
  const path = mkdtempSync(join(tmpdir(), "baton-e2e-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Every file below a folder, as paths from there. */
export const filesUnder = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

export function childOf(parent: number, command: string): number | undefined {
  const found = processes().find((one) => one.parent === parent && one.command.includes(command));
  return found?.pid;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Reads /proc if it exists: small images have no `ps`. */
function processes(): readonly Process[] {
  if (!existsSync("/proc/self/stat")) {
    const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" });
    return stdout.split("\n").map((line) => {
      const [pid, parent, command = ""] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), command };
    });
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const [, command = "", parent] = /\((.*)\) [A-Y] (\d+) /s.exec(stat) ?? [];
        return parent === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
      } catch {
        return [];
      }
    });
}
