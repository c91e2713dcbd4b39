/** Long-lived connections on bare sockets: a stream of server-sent events, and a WebSocket. */
import { connect } from "node:net";
import { headerIn, requestText, type HttpCall } from "./http-connection.ts";

const END_OF_HEAD = "\r\n\r\n";
const TAIL_BYTES = 256;

/** Reads a stream until `mark` appears near the end of the received data, and returns the number of bytes. */
export function readUntil(port: number, call: HttpCall, mark: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let bytes = 0;
    let tail = Buffer.alloc(0);
    socket.on("data", (data: Buffer) => {
      if (bytes === 0 && data.toString("latin1", 9, 12) !== "200") {
        socket.destroy();
        reject(new Error(data.toString().slice(0, 300)));
        return;
      }
      bytes += data.length;
      tail = data.length < TAIL_BYTES ? Buffer.concat([tail, data]) : data;
      tail = tail.subarray(-TAIL_BYTES);
      if (!tail.includes(mark)) return;
      socket.destroy();
      resolve(bytes);
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the stream ended before its mark")));
    socket.write(requestText(call));
  });
}

export interface SocketConnection {
  send(text: string): void;
  close(): void;
}

interface SocketCall {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** One text message. It is only valid during the call. */
  onMessage(message: Buffer, line: SocketConnection): void;
  onClose?(): void;
}

const HEADERS = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  // The key need not be secret or unique: it only shows that the server supports WebSocket.
  "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
};

/** Resolves once the server has switched protocols. */
export function openSocket(call: SocketCall): Promise<SocketConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: call.port, host: "127.0.0.1", noDelay: true });
    const line: SocketConnection = {
      send: (text) => socket.write(frameOf(text)),
      close: () => socket.destroy(),
    };
    let isOpen = false;
    let rest: Buffer = Buffer.alloc(0);
    socket.on("data", (data: Buffer) => {
      rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
      if (!isOpen) {
        const end = rest.indexOf(END_OF_HEAD);
        if (end < 0) return;
        if (headerIn(rest.toString("latin1", 0, end), "upgrade") === null) {
          socket.destroy();
          reject(new Error(rest.toString().slice(0, 300)));
          return;
        }
        isOpen = true;
        rest = rest.subarray(end + END_OF_HEAD.length);
        resolve(line);
      }
      rest = takeFrames(
        rest,
        (message) => call.onMessage(message, line),
        () => socket.destroy(),
      );
    });
    socket.on("error", reject);
    socket.on("close", () => {
      reject(new Error("the server closed the connection"));
      call.onClose?.();
    });
    socket.write(
      requestText({ method: "GET", path: call.path, headers: { ...HEADERS, ...call.headers } }),
    );
  });
}

const TEXT = 1;
const CLOSE = 8;

/** Passes on every complete message and returns the remaining bytes. */
function takeFrames(data: Buffer, onMessage: (message: Buffer) => void, end: () => void): Buffer {
  let at = 0;
  while (at + 2 <= data.length) {
    const short = (data[at + 1] ?? 0) & 127;
    const from = at + 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
    if (from > data.length) break;
    const length =
      short < 126
        ? short
        : short === 126
          ? data.readUInt16BE(at + 2)
          : Number(data.readBigUInt64BE(at + 2));
    if (from + length > data.length) break;
    const kind = (data[at] ?? 0) & 15;
    if (kind === TEXT) onMessage(data.subarray(from, from + length));
    else if (kind === CLOSE) end();
    at = from + length;
  }
  return data.subarray(at);
}

/** A client must mask; a mask of zeros leaves the text unchanged. */
function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  const head =
    body.length < 126
      ? Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0])
      : Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255, 0, 0, 0, 0]);
  return Buffer.concat([head, body]);
}
