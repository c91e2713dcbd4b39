/**
 * One keep-alive connection on a bare socket, one request at a time: Node's own client would use more CPU
 * than the measured server. It reads only the two body formats of these servers: with a length, or
 * chunked.
 */
import { connect, type Socket } from "node:net";

export interface HttpCall {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** If true, only the start of the body and its size are stored. */
  readonly discardBody?: boolean;
}

export interface HttpReply {
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
  readonly firstByteMs: number;
  header(name: string): string | null;
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");

export function requestText({ method, path, headers = {}, body }: HttpCall): string {
  let head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n`;
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

export function headerIn(head: string, name: string): string | null {
  return new RegExp(`\r\n${name}: *([^\r\n]*)`, "i").exec(head)?.[1] ?? null;
}

export class HttpConnection {
  readonly #socket: Socket;
  #settle: (reply: HttpReply) => void = () => {};
  #fail: (error: Error) => void = () => {};
  #discardBody = false;
  #sentAt = 0;
  #firstByteMs = 0;
  #rest: Buffer = Buffer.alloc(0);
  #head: string | null = null;
  #body: Buffer[] = [];
  #bytes = 0;
  /** Remaining bytes of the body or of the chunk. */
  #left = 0;
  #isChunked = false;
  #isClosed = false;

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (data: Buffer) => this.#receive(data));
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => {
      this.#isClosed = true;
      this.#fail(new Error("the server closed the connection"));
    });
  }

  /** A server may close a connection that was idle for some seconds. */
  get isOpen(): boolean {
    return !this.#isClosed;
  }

  send(call: HttpCall): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      this.#discardBody = call.discardBody === true;
      this.#sentAt = performance.now();
      this.#socket.write(requestText(call));
    });
  }

  close(): void {
    this.#fail = () => {};
    this.#socket.destroy();
  }

  #receive(data: Buffer): void {
    let rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    this.#rest = Buffer.alloc(0);
    if (this.#head === null) {
      const end = rest.indexOf(END_OF_HEAD);
      if (end < 0) {
        this.#rest = rest;
        return;
      }
      this.#readHead(rest.toString("latin1", 0, end));
      rest = rest.subarray(end + END_OF_HEAD.length);
    }
    if (this.#isChunked) this.#takeChunks(rest);
    else {
      this.#appendBody(rest);
      if (this.#left === 0) this.#end();
    }
  }

  #readHead(head: string): void {
    this.#firstByteMs = performance.now() - this.#sentAt;
    this.#head = head;
    this.#isChunked = headerIn(head, "transfer-encoding") === "chunked";
    this.#left = this.#isChunked ? 0 : Number(headerIn(head, "content-length") ?? 0);
  }

  #takeChunks(data: Buffer): void {
    let rest = data;
    for (;;) {
      if (this.#left > 0) rest = this.#appendBody(rest);
      if (this.#left > 0) return;
      // The end of the last chunk is followed by the size of the next.
      const from = rest[0] === 13 ? 2 : 0;
      const end = rest.indexOf("\r\n", from);
      if (rest.length < 2 || end < 0) {
        this.#rest = rest;
        return;
      }
      const size = Number.parseInt(rest.toString("latin1", from, end), 16);
      if (size === 0) {
        if (rest.length < end + END_OF_HEAD.length) this.#rest = rest;
        else this.#end();
        return;
      }
      this.#left = size;
      rest = rest.subarray(end + 2);
    }
  }

  #appendBody(data: Buffer): Buffer {
    const part = data.subarray(0, this.#left);
    if (!this.#discardBody || this.#bytes === 0) this.#body.push(part);
    this.#bytes += part.length;
    this.#left -= part.length;
    return data.subarray(part.length);
  }

  #end(): void {
    const head = this.#head ?? "";
    const reply: HttpReply = {
      status: Number(head.slice(9, 12)),
      text: Buffer.concat(this.#body).toString(),
      bytes: this.#bytes,
      firstByteMs: this.#firstByteMs,
      header: (name) => headerIn(head, name),
    };
    this.#head = null;
    this.#body = [];
    this.#bytes = 0;
    this.#settle(reply);
  }
}
