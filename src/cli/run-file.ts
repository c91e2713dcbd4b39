/** What a run must know after its own crash: where it is, what was sent, and who runs. One file a name. */
import { mkdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { readText, replaceFile } from "../client-node/atomic-file";
import type { Home } from "./home";

/** A piece of output that is being sent: sent again with its key, it is appended once. */
interface Batch {
  readonly offset: number;
  readonly length: number;
  readonly key: string;
}

interface RunState {
  readonly format: 1;
  readonly command: readonly string[];
  /** Words, with {sessionId} and {prompt} still to be put in. */
  readonly resumeCommand: readonly string[] | null;
  readonly withToken: boolean;
  readonly attempt: number;
  readonly prompt: string | null;
  readonly isResumed: boolean;
  readonly phase: "starting" | "running" | "waiting" | "ended";
  /** Counts the programs started, so that each has an output file of its own. */
  readonly turn: number;
  readonly pid: number | null;
  /** Bytes of the current output that are in the log. */
  readonly sent: number;
  readonly batch: Batch | null;
  /** Made for the program, where it asked for a token. */
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

  /** Where the program of this turn writes, straight to the disk. */
  get outputPath(): string {
    return `${this.#path}.${this.#state.turn}.out`;
  }

  /** Where its exit code is written, also when nobody waits for it any more. */
  get exitPath(): string {
    return `${this.#path}.${this.#state.turn}.exit`;
  }

  async update(changes: Partial<RunState>): Promise<void> {
    this.#state = { ...this.#state, ...changes };
    await replaceFile(this.#path, `${JSON.stringify(this.#state)}\n`);
  }

  /** The output is in the log: the files of this turn have served. */
  async removeOutput(): Promise<void> {
    for (const path of [this.outputPath, this.exitPath]) await unlink(path).catch(() => undefined);
  }
}

const pathOf = (home: Home, name: string): string =>
  join(home.runsFolder, `${encodeURIComponent(name).replace(/^\./, "%2E")}.json`);
