/** The server under faults: its process, the end and return of its runtime, and the way in for faults. */
import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../../../scripts/port.ts";
import type { Disk } from "./disk.ts";
import type { StoredState } from "../driver.ts";
import type { ObjectFault } from "./faults.ts";
import { sleep } from "../sleep.ts";
import { send } from "./send.ts";

const POLL_MS = 25;
/** A runtime that has not come back by then gets a new server around it. */
const RESPAWN_MS = 20_000;
/** How the folders of classes end, and what reaches their objects; null if nothing depends on their alarms. */
const ALARMS: readonly (readonly [suffix: string, binding: string | null])[] = [
  ["-endpoints", "NOTICE_ENDPOINT"],
  ["-owners", "OWNER_DIRECTORY"],
  ["-handoffs", null],
  ["-misses", null],
  ["-agents", null],
];
const KEPT_OUTPUT = 20_000;

export interface ServerOptions {
  readonly vars?: Readonly<Record<string, string>> | undefined;
  /** The name of a planted bug. */
  readonly bug?: string | undefined;
}

export class FaultServer {
  readonly url: string;
  readonly pids = new Set<number>();
  readonly #port: number;
  readonly #disk: Disk;
  readonly #given: ServerOptions;
  #child: ChildProcess | undefined;
  #output = "";

  private constructor(port: number, disk: Disk, given: ServerOptions) {
    this.#port = port;
    this.#disk = disk;
    this.#given = given;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(disk: Disk, given: ServerOptions = {}): Promise<FaultServer> {
    const server = new FaultServer(await findFreePort("127.0.0.1"), disk, given);
    await server.#launch();
    return server;
  }

  runtimePid(): number {
    return childNamed("workerd", this.#child?.pid ?? 0);
  }

  /** kill -9 of the runtime; resolves once another one answers on the same data. */
  async kill(): Promise<void> {
    const killed = this.runtimePid();
    if (killed === 0) throw new Error("there is no runtime to kill");
    process.kill(killed, "SIGKILL");
    const began = Date.now();
    while (Date.now() - began < RESPAWN_MS) {
      await sleep(POLL_MS);
      const pid = this.runtimePid();
      if (pid !== 0 && pid !== killed && (await this.answers())) {
        this.pids.add(pid);
        return;
      }
    }
    await this.stop();
    await this.#launch();
  }

  /** The runtime stands still, as it does on a disk that is very slow. False if there is none. */
  async stall(ms: number): Promise<boolean> {
    const pid = this.runtimePid();
    if (pid === 0) return false;
    process.kill(pid, "SIGSTOP");
    await sleep(ms);
    try {
      process.kill(pid, "SIGCONT");
    } catch {
      return false;
    }
    return true;
  }

  async answers(): Promise<boolean> {
    return (
      (await send(this.url, { method: "GET", path: "/healthz", headers: {} }, "whole"))?.status ===
      200
    );
  }

  /** True if it was certainly done. */
  async strike(object: string, fault: ObjectFault): Promise<boolean> {
    const heard = await this.#control(`strike?object=${object}`, fault);
    // An abort takes its own answer with it.
    return fault.fault === "abort" ? heard !== null : heard?.status === 200;
  }

  async evict(object: string, sockets: "hibernate" | "close"): Promise<boolean> {
    return (await this.#control(`evict?object=${object}&sockets=${sockets}`))?.status === 200;
  }

  /** Runs the alarm of every stored object that needs one. What fails is due again. */
  async runAlarms(): Promise<void> {
    const objects = join(this.#disk.folder, "do");
    for (const folder of readdirSync(objects)) {
      const [, binding = "SESSION"] = ALARMS.find(([suffix]) => folder.endsWith(suffix)) ?? [];
      for (const name of readdirSync(join(objects, folder))) {
        const object = /^(\w{64})\.sqlite$/.exec(name)?.[1];
        if (binding === null || object === undefined) continue;
        await this.#control(`alarm?binding=${binding}&object=${object}`);
      }
    }
  }

  async setClock(offsetMs: number): Promise<void> {
    const heard = await this.#control(`clock?offset=${offsetMs}`);
    if (heard?.status !== 200) throw new Error("the clock was not set, or was");
  }

  /** Retries until it gets an answer, as `files` does. */
  stored(object: string): Promise<StoredState> {
    return this.#query(`dump?object=${object}`);
  }

  /** The files that are kept for a session, whatever it says of them itself. */
  files(object: string): Promise<readonly string[]> {
    return this.#query(`files?object=${object}`);
  }

  async #query<T>(what: string): Promise<T> {
    for (;;) {
      const heard = await this.#control(what);
      if (heard?.status === 200) return JSON.parse(heard.text) as T;
      await sleep(4 * POLL_MS);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    process.off("exit", this.#end);
    if (child?.pid === undefined || !isRunning(child)) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    this.#end();
    await ended;
  }

  readonly #end = (): void => {
    const child = this.#child;
    if (child?.pid !== undefined && isRunning(child)) process.kill(-child.pid, "SIGKILL");
  };

  #control(what: string, body?: unknown): ReturnType<typeof send> {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = { "content-type": "application/json" };
    return send(this.url, { method: "POST", path: `/model/${what}`, headers, body: text }, "whole");
  }

  async #launch(): Promise<void> {
    const script = join(import.meta.dirname, "serve-faulty.ts");
    const args = [script, String(this.#port), this.#disk.folder, JSON.stringify(this.#given)];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...this.#disk.env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.#child = child;
    process.once("exit", this.#end);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
      });
    }
    while (!(await this.answers())) {
      if (!isRunning(child)) throw new Error(`the server did not start: ${this.#output}`);
      await sleep(POLL_MS);
    }
    this.pids.add(this.runtimePid());
  }
}

/** One that a signal ended has no exit code. */
const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

function childNamed(command: string, parent: number): number {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [, name, its] = /\((.*)\) [A-Y] (\d+) /s.exec(stat) ?? [];
      if (name === command && Number(its) === parent) return Number(pid);
    } catch {
      // It ended meanwhile.
    }
  }
  return 0;
}
