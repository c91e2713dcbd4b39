/** Closed-loop load over real HTTP: so many clients, each with one request under way at a time. */
import { HttpConnection, type HttpCall, type HttpReply } from "./http-connection.ts";
import { cpuSeconds, watchMemory } from "./process-meter.ts";
import { quantile } from "./stats.ts";

/** What one round showed. */
export interface Round {
  /** Calls a second, all clients together. */
  readonly rate: number;
  /** CPU time of the server's process for each call. */
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of one core that the generator of the load used itself. */
  readonly generator: number;
  /** The most memory the server's process had. */
  readonly peakMb: number;
}

/** What the system counts in: a round that was too short for it did not cost nothing. */
const MIN_CPU_SECONDS = 0.01;

export class Load {
  readonly port: number;
  readonly pid: number;
  readonly #idle: HttpConnection[] = [];

  constructor({ port, pid }: { readonly port: number; readonly pid: number }) {
    this.port = port;
    this.pid = pid;
  }

  async send(call: HttpCall): Promise<HttpReply> {
    let line = this.#idle.pop();
    while (line?.isOpen === false) line = this.#idle.pop();
    line ??= new HttpConnection(this.port);
    const reply = await line.send(call);
    this.#idle.push(line);
    return reply;
  }

  /** A call that gives a number has taken its own time, in milliseconds. */
  async measure(clients: readonly (() => Promise<unknown>)[], durationMs: number): Promise<Round> {
    const times: number[] = [];
    const stopWatching = watchMemory(this.pid);
    const [cpu, own] = [cpuSeconds(this.pid), process.cpuUsage()];
    const start = performance.now();
    await Promise.all(
      clients.map(async (work) => {
        do {
          const began = performance.now();
          const own = await work();
          times.push(typeof own === "number" ? own : performance.now() - began);
        } while (performance.now() < start + durationMs);
      }),
    );
    const elapsedMs = performance.now() - start;
    const { user, system } = process.cpuUsage(own);
    return {
      rate: (times.length / elapsedMs) * 1000,
      cpuMs: (Math.max(cpuSeconds(this.pid) - cpu, MIN_CPU_SECONDS) * 1000) / times.length,
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      generator: (user + system) / 1000 / elapsedMs,
      peakMb: stopWatching(),
    };
  }

  close(): void {
    for (const line of this.#idle) line.close();
  }
}
