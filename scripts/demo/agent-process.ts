/** The agent as a process of its own: started, listened to, and killed. */
import { build } from "esbuild";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentMessage } from "./agent-messages.ts";

/** A write that is over too soon to be caught is killed after it: the story is the same. */
const PATIENCE_MS = 500;

/** One file that plain Node runs, as an installed agent would be. */
export async function bundleAgent(folder: string): Promise<string> {
  const outfile = join(folder, "agent.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "agent.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
  });
  return outfile;
}

/** The SDK saves a request before it sends it. */
const hasUnanswered = (state: string): boolean =>
  readdirSync(state)
    .filter((name) => name.endsWith(".json"))
    .some((name) => /"pending": ?\{/.test(readFileSync(join(state, name), "utf8")));

export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(program: string, environment: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [program], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#ended = once(this.#child, "exit");
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async *messages(): AsyncGenerator<AgentMessage> {
    const { stdout } = this.#child;
    if (stdout === null) throw new Error("its output is a pipe");
    for await (const line of createInterface({ input: stdout }))
      yield JSON.parse(line) as AgentMessage;
    await this.#ended;
  }

  /** kill -9 once a request is on its way: no chance to hear its answer, to save or to say goodbye. */
  async killAmidWrite(state: string): Promise<void> {
    const giveUpAt = Date.now() + PATIENCE_MS;
    while (!hasUnanswered(state) && Date.now() < giveUpAt) await sleep(1);
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
