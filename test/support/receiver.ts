/**
 * A webhook receiver with configurable behaviour: answers with a status, late, partially, or not at all.
 * It records the requests with their times, so that tests can check their order.
 */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Arrived {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
  /** The response that was sent. */
  readonly answered: string;
}

/** A status, optionally with headers, or no valid response. */
export type Behaviour =
  | { readonly status: number; readonly headers?: Record<string, string> }
  | "nothing"
  | "slow"
  | "half"
  | "cut";

/** Longer than the timeout of an attempt in tests. */
const SLOW_MS = 3_000;

export class Receiver {
  readonly arrived: Arrived[] = [];
  behaves: (request: Omit<Arrived, "answered">) => Behaviour = () => ({ status: 204 });
  #server: Server | null = null;
  #port = 0;

  static async start(port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    await receiver.listen(port);
    return receiver;
  }

  get port(): number {
    return this.#port;
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  url(path = "/hook"): string {
    return `http://${this.host}${path}`;
  }

  /** Starts, or restarts on the same port after it was closed. */
  async listen(port = this.#port): Promise<void> {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        const isJson = String(request.headers["content-type"]).startsWith("application/json");
        const received = {
          path: request.url ?? "",
          headers: request.headers,
          text,
          body: isJson ? JSON.parse(text) : text,
        };
        const behaviour = this.behaves(received);
        const answered = typeof behaviour === "string" ? behaviour : String(behaviour.status);
        this.arrived.push({ ...received, answered });
        if (behaviour === "nothing") return;
        if (behaviour === "slow") {
          return void setTimeout(() => response.writeHead(204).end(), SLOW_MS).unref();
        }
        if (behaviour === "cut") return void request.socket.destroy();
        if (behaviour === "half") {
          response.writeHead(200, { "Content-Length": "100" });
          response.write("half");
          return void setTimeout(() => request.socket.destroy(), 50);
        }
        response.writeHead(behaviour.status, { Connection: "close", ...behaviour.headers });
        response.end("what nobody but the receiver may see");
      });
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Stops: new connections are refused and open ones are cut. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
