/** The agent as a separate process: starts it, reads its messages, and kills it. */
import { build } from "esbuild";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentMessage } from "./agent-messages.ts";

/** If the write ends too soon to be caught, the agent is killed after it. The demo looks the same. */
const PATIENCE_MS = 500;

/** Bundles the agent into one file for plain Node, like an installed agent. */
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

  /** kill -9 once a request is in flight: the agent cannot receive its answer or save anything. */
  async killAmidWrite(state: string): Promise<void> {
    const giveUpAt = Date.now() + PATIENCE_MS;
    while (!hasUnanswered(state) && Date.now() < giveUpAt) await sleep(1);
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
