/**
 * The state that a run needs after its own crash: its phase, what was sent, and which program runs.
 * One file per name.
 */
import { mkdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { readText, replaceFile } from "../client-node/atomic-file";
import type { Home } from "./home";

/** A piece of output that is being sent. Sending it again with the same key appends it once. */
interface Batch {
  readonly offset: number;
  readonly length: number;
  readonly key: string;
}

interface RunState {
  readonly format: 1;
  readonly command: readonly string[];
  /** Arguments, with the placeholders {sessionId} and {prompt}. */
  readonly resumeCommand: readonly string[] | null;
  readonly withToken: boolean;
  readonly attempt: number;
  readonly prompt: string | null;
  readonly isResumed: boolean;
  readonly phase: "starting" | "running" | "waiting" | "ended";
  /** Counts the started programs, so that each has its own output file. */
  readonly turn: number;
  readonly pid: number | null;
  /** The number of bytes of the current output that are in the log. */
  readonly sent: number;
  readonly batch: Batch | null;
  /** The handoff for the program, if it gets a token. */
  readonly handoff: string | null;
}

export class RunFile {
  readonly #path: string;
  #state: RunState;

  private constructor(path: string, state: RunState) {
    this.#path = path;
    this.#state = state;
  }

  static async create(home: Home, name: string, state: RunState): Promise<RunFile> {
    await mkdir(home.runsFolder, { recursive: true, mode: 0o700 });
    const file = new RunFile(pathOf(home, name), state);
    await file.update({});
    return file;
  }

  static async load(home: Home, name: string): Promise<RunFile | null> {
    const text = await readText(pathOf(home, name));
    return text === null ? null : new RunFile(pathOf(home, name), JSON.parse(text) as RunState);
  }

  get state(): RunState {
    return this.#state;
  }

  /** The file that the program of this turn writes its output to. */
  get outputPath(): string {
    return `${this.#path}.${this.#state.turn}.out`;
  }

  /** The file of its exit code, which is written even if no process waits for it. */
  get exitPath(): string {
    return `${this.#path}.${this.#state.turn}.exit`;
  }

  async update(changes: Partial<RunState>): Promise<void> {
    this.#state = { ...this.#state, ...changes };
    await replaceFile(this.#path, `${JSON.stringify(this.#state)}\n`);
  }

  /** Removes the files of this turn, once the output is in the log. */
  async removeOutput(): Promise<void> {
    for (const path of [this.outputPath, this.exitPath]) await unlink(path).catch(() => undefined);
  }
}

const pathOf = (home: Home, name: string): string =>
  join(home.runsFolder, `${encodeURIComponent(name).replace(/^\./, "%2E")}.json`);
