/**
 * The runtime as a process of this one: started on a configuration, started again where it ends by
 * itself, and ended in order. Asked by SIGTERM workerd takes no new requests, finishes those it has,
 * and exits.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { workerdPath } from "./workerd-path.ts";

/** Longer with each crash that follows another; one that served this long counts as the first again. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
const STEADY_MS = 10_000;

/** Where workerd says that it listens. */
const CONTROL_FD = 3;

export class Runtime {
  readonly #config: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #flags: readonly string[];
  #child: ChildProcess | null = null;
  #isEnding = false;
  #pauseMs = FIRST_PAUSE_MS;

  /** `flags` are more of workerd's own, such as the address of its inspector. */
  constructor(config: string, environment: NodeJS.ProcessEnv, flags: readonly string[] = []) {
    this.#config = config;
    this.#environment = environment;
    this.#flags = flags;
  }

  /** Resolves when it listens; fails where it ends before. */
  async start(): Promise<void> {
    const child = spawn(
      workerdPath(),
      ["serve", "--experimental", `--control-fd=${CONTROL_FD}`, ...this.#flags, this.#config],
      {
        env: this.#environment,
        stdio: ["ignore", "inherit", "inherit", "pipe"],
        windowsHide: true,
      },
    );
    this.#child = child;
    const startedAt = Date.now();
    const ended = once(child, "exit");
    const control = child.stdio[CONTROL_FD] as Readable;
    const listens = await Promise.race([
      once(createInterface(control), "line").then(() => true),
      ended.then(() => false),
    ]);
    if (!listens) throw new Error("The runtime ended before it listened; what it said is above.");
    void ended.then(() => this.#ended(startedAt));
  }

  /** Lets requests under way end for at most that long; what is open then is cut off. */
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
    // Ctrl-C reaches the runtime too: by the end of this pause our own end has begun.
    await sleep(this.#pauseMs);
    if (this.#isEnding) return;
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    console.error("The runtime ended unexpectedly and is started again.");
    try {
      await this.start();
    } catch {
      void this.#ended(Date.now());
    }
  }
}
