/** HTTP as bytes: what is sent need not be well formed. Every exchange ends, or fails as one that hangs. */
import { connect } from "node:net";
import { exchange } from "../network/send.ts";

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

/** The platform's client frames the request. The exchange leaves a stream as soon as it starts. */
export async function sendRequest(url: string, sent: Sent): Promise<Received> {
  const { method, path, headers, body } = sent;
  const options = {
    method,
    path,
    headers: headers.flat(),
    // On a shared connection a missing answer could be a connection that was just closed.
    agent: false,
    setDefaultHeaders: false,
    insecureHTTPParser: true,
    timeout: DEADLINE_MS,
  } as never;
  const isStream = (received: object): boolean =>
    String((received as Received["headers"])["content-type"]).startsWith("text/event-stream") &&
    path !== "/mcp";
  const received = await exchange(url, options, body, "whole", isStream);
  return (received ?? { status: 0, headers: {}, text: "no answer" }) as Received;
}

/** Sends bytes as they are, on a connection of their own that the client closes after the last one. */
export function sendBytes(url: string, bytes: Buffer): Promise<Received> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let received = Buffer.alloc(0);
    const deadline = setTimeout(() => {
      socket.destroy();
      reject(new Hanging(`no answer within ${DEADLINE_MS} ms`));
    }, DEADLINE_MS);
    const end = (): void => {
      clearTimeout(deadline);
      socket.destroy();
      resolve(parseAnswer(received.toString("utf8")));
    };
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      // One answer is enough: the server may keep the connection open for more.
      if (isWhole(received.toString("latin1"))) end();
    });
    socket.on("error", end);
    socket.on("close", end);
    socket.end(bytes);
  });
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
  const lines = head.split("\r\n").slice(1);
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.split(":")[0]!.toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  return { status: Number(status), headers, text: rest.join("\r\n\r\n") };
}
