/**
 * A proxy between one client and the server. It applies the script's fault to each request and records
 * every request, so that a repetition can be compared with the original.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./script.ts";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly token: string | null;
  readonly ifMatch: string | null;
  readonly body: string;
}

export interface ScriptedProxy {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Sets the faults of the next requests, in order. */
  plan(faults: readonly Fault[]): void;
  readonly unused: readonly Fault[];
  stop(): Promise<void>;
}

const DELAY_MS = 300;

export async function startScriptedProxy(
  target: string,
  kill: () => Promise<void>,
): Promise<ScriptedProxy> {
  const seen: SeenRequest[] = [];
  const planned: Fault[] = [];
  const server = createServer((incoming, outgoing) => {
    const fault = planned.shift() ?? "pass";
    void relay(target, incoming, outgoing, fault, seen, kill).catch(() =>
      incoming.socket.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    plan: (faults) => void planned.splice(0, planned.length, ...faults),
    unused: planned,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function relay(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: Fault,
  seen: SeenRequest[],
  kill: () => Promise<void>,
): Promise<void> {
  const body = await whole(incoming);
  seen.push(noted(incoming, body));
  if (fault === "killBefore") await kill();
  if (fault === "killBefore" || fault === "dropBefore") {
    incoming.socket.destroy();
    return;
  }
  if (fault === "busyProxy") {
    outgoing.writeHead(503, { "Retry-After": "0", "Content-Type": "text/html" });
    outgoing.end("<h1>Try again</h1>");
    return;
  }
  if (fault === "delay") await sleep(DELAY_MS);
  const answer = await forward(target, incoming, body);
  if (answer.headers["content-type"]?.startsWith("text/event-stream") === true) {
    stream(answer, incoming, outgoing, typeof fault === "number" ? fault : Infinity);
    return;
  }
  const text = await whole(answer);
  if (fault === "killAfter") await kill();
  if (fault === "killAfter" || fault === "dropAfter") incoming.socket.destroy();
  else if (fault === "reset") incoming.socket.resetAndDestroy();
  else if (fault === "truncate") {
    const { ["transfer-encoding"]: _, ...headers } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 500, { ...headers, "content-length": text.length });
    outgoing.write(text.subarray(0, text.length >> 1), () => incoming.socket.destroy());
  } else {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    outgoing.end(text);
  }
}

async function whole(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function noted({ method = "", url = "", headers }: IncomingMessage, body: Buffer): SeenRequest {
  const text = (name: string): string | null => {
    const value = headers[name];
    return typeof value === "string" ? value : null;
  };
  return {
    method,
    path: url,
    key: text("idempotency-key"),
    token: text("authorization"),
    ifMatch: text("if-match"),
    body: body.toString("base64"),
  };
}

const forward = (
  target: string,
  incoming: IncomingMessage,
  body: Buffer,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { connection: _, host: __, ...headers } = incoming.headers;
    const { method = "GET", url = "/" } = incoming;
    const sent = request(target + url, { method, headers }, resolve);
    sent.on("error", reject);
    sent.end(body);
  });

/** Cuts a stream in the middle of its output. */
function stream(
  answer: IncomingMessage,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  cutAfter: number,
): void {
  outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
  let left = cutAfter;
  answer.on("data", (chunk: Buffer) => {
    const isCut = chunk.length >= left;
    outgoing.write(chunk.subarray(0, left), () => {
      if (isCut) incoming.socket.destroy();
    });
    left -= chunk.length;
  });
  answer.on("end", () => outgoing.end());
  answer.on("error", () => incoming.socket.destroy());
  incoming.socket.on("close", () => answer.destroy());
}
