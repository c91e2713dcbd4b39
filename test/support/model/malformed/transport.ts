/** HTTP as bytes: what is sent need not be well formed. Every exchange ends, or fails as one that hangs. */
import { Agent, request as send } from "node:http";
import { connect } from "node:net";

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export interface Received {
  /** 0 if the connection was closed without an answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Longer than the longest wait a request can have. */
export const DEADLINE_MS = 90_000;

export class Hanging extends Error {}

export class Transport {
  readonly host: string;
  readonly port: number;
  /** A connection each: on a shared one a missing answer could be a connection that was just closed. */
  readonly #agent = new Agent({ keepAlive: false });

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.host = hostname === "localhost" ? "127.0.0.1" : hostname;
    this.port = Number(port);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Framed by the platform's client; a stream is left as soon as it starts. */
  exchange({ method, path, headers, body }: Sent): Promise<Received> {
    return new Promise((resolve, reject) => {
      const request = send({
        host: this.host,
        port: this.port,
        method,
        path,
        agent: this.#agent,
        headers: headers.flat(),
        setDefaultHeaders: false,
        insecureHTTPParser: true,
      } as never);
      const deadline = setTimeout(() => {
        request.destroy();
        reject(new Hanging(`no answer within ${DEADLINE_MS} ms`));
      }, DEADLINE_MS);
      const done = (received: Received): void => {
        clearTimeout(deadline);
        resolve(received);
      };
      request.on("error", ({ message }) => done({ status: 0, headers: {}, text: message }));
      request.on("response", (response) => {
        const head = {
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
        };
        if (
          String(head.headers["content-type"]).startsWith("text/event-stream") &&
          path !== "/mcp"
        ) {
          done({ ...head, text: "" });
          request.destroy();
          return;
        }
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (text += part));
        response.on("end", () => done({ ...head, text }));
        response.on("error", () => done({ ...head, text }));
      });
      request.end(body.length > 0 ? body : undefined);
    });
  }

  /** Bytes as they are, on a connection of their own that the client closes after the last one. */
  raw(bytes: Buffer): Promise<Received> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, this.host);
      const chunks: Buffer[] = [];
      const deadline = setTimeout(() => {
        socket.destroy();
        reject(new Hanging(`no answer within ${DEADLINE_MS} ms`));
      }, DEADLINE_MS);
      const end = (): void => {
        clearTimeout(deadline);
        socket.destroy();
        resolve(parseAnswer(Buffer.concat(chunks).toString("utf8")));
      };
      socket.on("data", (chunk) => {
        chunks.push(chunk);
        // One answer is enough: the server may keep the connection open for more.
        if (isWhole(Buffer.concat(chunks).toString("latin1"))) end();
      });
      socket.on("error", end);
      socket.on("close", end);
      socket.end(bytes);
    });
  }
}

function isWhole(text: string): boolean {
  const at = text.indexOf("\r\n\r\n");
  if (at < 0) return false;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, at)) ?? [];
  if (length !== undefined) return text.length >= at + 4 + Number(length);
  return text.endsWith("0\r\n\r\n");
}

function parseAnswer(text: string): Received {
  const [, status = "0"] = /^HTTP\/1\.[01] (\d{3})/.exec(text) ?? [];
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const headers = Object.fromEntries(
    head
      .split("\r\n")
      .slice(1)
      .map((line) => [line.split(":")[0]!.toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status: Number(status), headers, text: rest.join("\r\n\r\n") };
}
