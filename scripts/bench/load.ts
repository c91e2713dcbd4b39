/** Closed-loop load over real HTTP: a number of clients, each with one open request at a time. */
import { HttpConnection, type HttpCall, type HttpReply } from "./http-connection.ts";
import { cpuSeconds, watchMemory } from "./process-meter.ts";
import { quantile } from "./stats.ts";

/** The measurements of one round. */
export interface Round {
  /** Calls per second of all clients. */
  readonly rate: number;
  /** CPU time of the server's process per call. */
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of one core that the load generator used. */
  readonly generator: number;
  /** The peak memory of the server's process. */
  readonly peakMb: number;
}

/** The resolution of the system's CPU clock, as a lower bound for short rounds. */
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

  /** A call that returns a number has measured its own time, in milliseconds. */
  async measure(clients: readonly (() => Promise<unknown>)[], durationMs: number): Promise<Round> {
    const times: number[] = [];
    const stopWatching = watchMemory(this.pid);
    const [cpu, own] = [cpuSeconds(this.pid), process.cpuUsage()];
    const start = performance.now();
    await Promise.all(
      clients.map(async (work) => {
        do {
          const startedAt = performance.now();
          const own = await work();
          times.push(typeof own === "number" ? own : performance.now() - startedAt);
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
