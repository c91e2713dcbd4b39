/**
 * The runtime as a child process: starts it with a configuration, restarts it if it ends unexpectedly,
 * and ends it gracefully. After SIGTERM workerd accepts no new requests, finishes open ones, and exits.
 * It never outlives this process, even if this process is killed.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { RuntimeOutput } from "./runtime-output.ts";
import { workerdPath } from "./workerd-path.ts";

/** The pause grows with each crash. It is reset after a runtime has served this long. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
const STEADY_MS = 10_000;

/** The descriptor on which workerd reports that it listens. */
const CONTROL_FD = 3;
/** A pipe that closes when this process ends, killed or not. */
const LIFE_FD = 4;

/**
 * Starts workerd under the pid of this shell, with a guard that kills it when the pipe closes. A line in
 * the pipe reports that workerd has ended: another process may have its pid by then. The note contains
 * the pid before workerd can open anything.
 */
const GUARDED = `note=$1; shift
if [ -n "$note" ]; then echo "$$ $1" > "$note" || exit 1; fi
shift
(trap "" INT TERM HUP; read -r _ <&${LIFE_FD} || kill -KILL $$) ${CONTROL_FD}>&- > /dev/null 2>&1 &
exec "$@" ${LIFE_FD}<&-`;

export class Runtime {
  readonly #config: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #flags: readonly string[];
  readonly #note: string;
  #child: ChildProcess | null = null;
  #isEnding = false;
  #pauseMs = FIRST_PAUSE_MS;

  /**
   * `flags` are further options of workerd, such as the address of its inspector. `note` is the file that
   * identifies the runtime's process, for `hasEnded`.
   */
  constructor(
    config: string,
    environment: NodeJS.ProcessEnv,
    { flags = [], note = "" }: { readonly flags?: readonly string[]; readonly note?: string } = {},
  ) {
    this.#config = config;
    this.#environment = environment;
    this.#flags = flags;
    this.#note = note;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the runtime listens. Fails if it ends before that. */
  async start(): Promise<void> {
    const options = ["--experimental", `--control-fd=${CONTROL_FD}`, ...this.#flags];
    const command = [workerdPath(), "serve", ...options, this.#config];
    const child = spawn("/bin/sh", ["-c", GUARDED, "sh", this.#note, this.#config, ...command], {
      env: this.#environment,
      stdio: ["ignore", "inherit", "pipe", "pipe", "pipe"],
    });
    this.#child = child;
    const startedAt = Date.now();
    const runtimeOutput = new RuntimeOutput();
    createInterface(child.stderr as Readable).on("line", (line) => {
      const output = runtimeOutput.filter(line, Date.now());
      if (output !== null) console.error(output);
    });
    const ended = once(child, "exit");
    const life = child.stdio[LIFE_FD] as Writable;
    // The guard may have been killed together with the rest.
    life.on("error", () => {});
    void ended.then(() => life.end("\n"));
    const control = child.stdio[CONTROL_FD] as Readable;
    const listens = await Promise.race([
      once(createInterface(control), "line").then(() => true),
      ended.then(() => false),
    ]);
    if (!listens) throw new Error("The runtime ended before it listened; its output is above.");
    void ended.then(() => this.#ended(startedAt));
  }

  /** Lets open requests finish within this time, then cuts the rest. */
  async end(drainMs: number): Promise<void> {
    this.#isEnding = true;
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    if (drainMs > 0) {
      child.kill("SIGTERM");
      await Promise.race([ended, sleep(drainMs, undefined, { ref: false })]);
    }
    child.kill("SIGKILL");
    await ended;
  }

  async #ended(startedAt: number): Promise<void> {
    if (Date.now() - startedAt > STEADY_MS) this.#pauseMs = FIRST_PAUSE_MS;
    // Ctrl-C reaches the runtime too: after this pause our own shutdown has started.
    await sleep(this.#pauseMs);
    if (this.#isEnding) return;
    this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_PAUSE_MS);
    console.error("The runtime ended unexpectedly and is started again.");
    try {
      await this.start();
    } catch {
      void this.#ended(Date.now());
    }
  }
}
