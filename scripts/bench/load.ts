/** Closed-loop load over real HTTP: so many clients, each with one request under way at a time. */
import { Agent, request } from "node:http";

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export class Load {
  readonly #origin: URL;
  readonly #agent: Agent;

  constructor(url: string, clients: number) {
    this.#origin = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: clients });
  }

  send({ method, path, headers, body }: Call): Promise<Reply> {
    return new Promise((settle, fail) => {
      const outgoing = request(
        {
          agent: this.#agent,
          host: "127.0.0.1",
          port: this.#origin.port,
          method,
          path,
          headers: {
            ...headers,
            ...(body === undefined
              ? {}
              : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }),
          },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
          incoming.on("end", () =>
            settle({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text: Buffer.concat(chunks).toString(),
            }),
          );
          incoming.on("error", fail);
        },
      );
      outgoing.on("error", fail);
      outgoing.end(body);
    });
  }

  /** Requests a second, all clients together, over the given time. */
  async measure(clients: readonly (() => Promise<unknown>)[], durationMs: number): Promise<number> {
    let done = 0;
    const start = performance.now();
    const end = start + durationMs;
    await Promise.all(
      clients.map(async (work) => {
        while (performance.now() < end) {
          await work();
          done += 1;
        }
      }),
    );
    return (done / (performance.now() - start)) * 1000;
  }

  close(): void {
    this.#agent.destroy();
  }
}
