/**
 * A bad network between a client and a server. It drops requests before and after the server received
 * them, and delays, resets and truncates answers, from a seed. It counts its faults.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "./seeded.ts";

const FAULTS = ["dropBefore", "dropAfter", "delay", "reset", "truncate"] as const;
type Fault = (typeof FAULTS)[number];

export interface LossyProxy {
  readonly url: string;
  readonly counts: Readonly<Record<Fault | "passed", number>>;
  stop(): Promise<void>;
}

const DELAY_MS = 40;

export async function startLossyProxy(
  target: string,
  seed: number,
  share: number,
): Promise<LossyProxy> {
  const chance = seeded(seed);
  const counts = { passed: 0, dropBefore: 0, dropAfter: 0, delay: 0, reset: 0, truncate: 0 };
  const nextFault = (): Fault | null =>
    chance() < share ? (FAULTS[Math.floor(chance() * FAULTS.length)] ?? null) : null;

  const server = createServer((incoming, outgoing) => {
    const fault = nextFault();
    counts[fault ?? "passed"] += 1;
    void relay(target, incoming, outgoing, fault, chance).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
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
  fault: Fault | null,
  chance: () => number,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  if (fault === "dropBefore") {
    incoming.socket.destroy();
    return;
  }
  if (fault === "delay") await sleep(chance() * DELAY_MS);
  const answer = await forward(target, incoming, Buffer.concat(chunks));
  if (answer.headers["content-type"]?.startsWith("text/event-stream") === true) {
    stream(answer, incoming, outgoing, fault !== null, chance);
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  if (fault === "dropAfter") incoming.socket.destroy();
  else if (fault === "reset") incoming.socket.resetAndDestroy();
  else if (fault === "truncate") {
    const { ["transfer-encoding"]: _, ...headers } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 500, { ...headers, "content-length": body.length });
    outgoing.write(body.subarray(0, Math.floor(chance() * body.length)), () =>
      incoming.socket.destroy(),
    );
  } else {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    outgoing.end(body);
  }
}

const forward = (
  target: string,
  incoming: IncomingMessage,
  body: Buffer,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { connection: _, host: __, ...headers } = incoming.headers;
    const sent = request(
      target + (incoming.url ?? "/"),
      { method: incoming.method ?? "GET", headers },
      resolve,
    );
    sent.on("error", reject);
    sent.end(body);
  });

/** Cuts a stream in the middle of its output. */
function stream(
  answer: IncomingMessage,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isCut: boolean,
  chance: () => number,
): void {
  outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
  let left = isCut ? Math.floor(chance() * 3_000) : Number.POSITIVE_INFINITY;
  answer.on("data", (chunk: Buffer) => {
    outgoing.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) incoming.socket.destroy();
  });
  answer.on("end", () => outgoing.end());
  answer.on("error", () => incoming.socket.destroy());
  incoming.socket.on("close", () => answer.destroy());
}
