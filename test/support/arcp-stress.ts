/**
 * A fast emitter and a client that loses its connection repeatedly, by a seeded plan: dropped sockets,
 * hellos abandoned before their welcome, takeovers of a connection that is still open. Returns every
 * event number in the order the client received it.
 */
import { WebSocket } from "ws";
import { ArcpClient, resumeOf, type Frame, type ArcpSocket } from "./arcp.ts";

export interface StressPlan {
  readonly url: string;
  readonly seed: number;
  readonly events: number;
  readonly reconnects: number;
  /** Called once, in the middle. */
  readonly disturb?: () => Promise<unknown>;
}

export interface StressReport {
  readonly taken: readonly number[];
  readonly last: Frame;
  readonly connections: number;
}

/** Mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface Dialled {
  readonly socket: WebSocket;
  readonly client: ArcpClient;
}

export async function dial(url: string): Promise<Dialled> {
  for (;;) {
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/arcp`);
    socket.on("error", () => {});
    const client = new ArcpClient(socket as unknown as ArcpSocket);
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("open", () => resolve(true));
      socket.once("close", () => resolve(false));
    });
    if (isOpen) return { socket, client };
    await pause(20);
  }
}

export async function post(
  url: string,
  path: string,
  body: object,
  token?: string,
  key?: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { "Idempotency-Key": key }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

/** Repeats the same request with its key until an answer arrives. */
async function insist(url: string, path: string, body: object, token: string): Promise<void> {
  const key = crypto.randomUUID();
  for (;;) {
    const answer = await post(url, path, body, token, key).catch(() => null);
    if (answer !== null && answer.status < 500) {
      if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return;
    }
    await pause(20);
  }
}

async function execute(plan: StressPlan, agent: string, random: () => number): Promise<void> {
  const { url, events } = plan;
  const claim = await post(url, `/agents/${agent}/claim`, { waitMs: 30_000, leaseMs: 600_000 });
  const token = String(claim.body["jobToken"]);
  for (let sent = 0; sent < events; ) {
    const count = Math.min(events - sent, 1 + Math.floor(random() * 20));
    const batch = Array.from({ length: count }, (_, n) => ({
      kind: "log",
      body: { level: "info", message: `event ${sent + n + 1}` },
    }));
    await insist(url, "/jobs/events", { events: batch }, token);
    sent += count;
  }
  await insist(url, "/jobs/result", { result: { events } }, token);
}

export async function runStress(plan: StressPlan): Promise<StressReport> {
  const { url, events } = plan;
  const random = seeded(plan.seed);
  const agent = `stress-${crypto.randomUUID()}`;
  const taken: number[] = [];
  let { socket, client } = await dial(url);
  await client.hello();
  let { resumeToken } = client;
  await client.submit({ agent });
  const executing = execute(plan, agent, seeded(plan.seed + 1));
  let disturbing: Promise<unknown> | undefined;
  let connections = 1;
  let last: Frame | undefined;
  while (last === undefined) {
    const left = plan.reconnects - connections;
    const share = Math.max(1, Math.floor((2 * (events - taken.length)) / Math.max(1, left)));
    const quota = left <= 0 ? Infinity : Math.floor(random() * share);
    for (let n = 0; n < quota; n++) {
      const frame = await client.next().catch(() => null);
      if (frame === null) break;
      if (frame.event_seq === undefined) continue;
      taken.push(frame.event_seq);
      if (frame.type === "job.result" || frame.type === "job.error") last = frame;
      if (last !== undefined) break;
      if (random() < 0.02) client.send("session.ack", { last_processed_seq: frame.event_seq });
    }
    if (last !== undefined) break;
    if (plan.disturb !== undefined && taken.length > events / 3) disturbing ??= plan.disturb();
    const old = socket;
    if (random() < 0.6) old.terminate();
    if (random() < 0.2) await giveUp(url, resumeToken, taken.at(-1) ?? 0, random);
    for (;;) {
      ({ socket, client } = await dial(url));
      const answer = await client
        .hello({ extra: resumeOf(resumeToken, taken.at(-1) ?? 0) ?? {} })
        .catch(() => null);
      if (answer?.type === "session.welcome") break;
      if (answer !== null && answer.payload.retryable !== true) {
        throw new Error(`refused: ${JSON.stringify(answer.payload)}`);
      }
      await pause(20);
    }
    ({ resumeToken } = client);
    connections += 1;
    old.terminate();
  }
  await executing;
  await disturbing;
  socket.terminate();
  return { taken, last, connections };
}

/** Sends a hello and drops the connection before its welcome. */
async function giveUp(
  url: string,
  token: string,
  seq: number,
  random: () => number,
): Promise<void> {
  const { socket, client } = await dial(url);
  void client.hello({ extra: resumeOf(token, seq) ?? {} }).catch(() => {});
  client.answersPings = false;
  if (random() < 0.5) await pause(Math.floor(random() * 20));
  socket.terminate();
}
