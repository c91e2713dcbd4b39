/** Consumers that stop reading while much is appended, and one that keeps reading. */
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import type { CreatedSession } from "../client.ts";
import type { Server } from "../server.ts";
import { EventStream } from "./event-stream.ts";

const POLL_MS = 10;
const MB = 1024 * 1024;
/** Four events per MB. */
const FILLING = "x".repeat(MB / 4 - 200);

/** Opened its connection and reads nothing until `readAll` is called. */
interface PausedReader {
  /** The numbers of all events up to `head`, in the order of arrival. */
  readAll(head: number): Promise<readonly number[]>;
}

export interface PausedReadersReport {
  readonly before: number;
  /** The maximum while they were paused. */
  readonly during: number;
  readonly whole: number;
}

export async function measurePausedReaders(
  server: Pick<Server, "url" | "client">,
  count: number,
  megabytes: number,
  residentMb: () => number,
): Promise<PausedReadersReport> {
  const session = await server.client.create();
  const sleepers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      index % 2 === 0
        ? openPausedStream(server.url, session)
        : openPausedSocket(server.url, session),
    ),
  );
  const awake = await openActiveStream(server.url, session);
  const before = residentMb();
  let during = before;
  let head = 0;
  for (let mb = 0; mb < megabytes; mb++) {
    const events = Array.from({ length: 3 }, () => ({
      type: "test.filled",
      payload: { filling: FILLING },
    }));
    const { token } = session;
    const { body } = await server.client.on(session, "POST", "/events", {
      token,
      body: { events },
    });
    head = body.head;
    // The paused readers must not delay the active one.
    while ((await awake.next())?.id !== String(head));
    during = Math.max(during, residentMb());
  }
  await awake.cancel();
  const logs = await Promise.all(sleepers.map((sleeper) => sleeper.readAll(head)));
  const isWhole = (log: readonly number[]): boolean =>
    log.length === head && log.every((seq, index) => seq === index + 1);
  return { before, during, whole: logs.filter(isWhole).length };
}

async function openActiveStream(url: string, { id, token }: CreatedSession): Promise<EventStream> {
  const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
  return new EventStream(await fetch(`${url}/sessions/${id}/events`, { headers }));
}

export async function openPausedStream(
  url: string,
  { id, token }: CreatedSession,
): Promise<PausedReader> {
  const outgoing = request(`${url}/sessions/${id}/events?after=0`, {
    headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream" },
  });
  outgoing.end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return {
    async readAll(head) {
      const seqs: number[] = [];
      let text = "";
      for await (const chunk of answer.setEncoding("utf8")) {
        text += chunk as string;
        const end = text.lastIndexOf("\n\n");
        if (end < 0) continue;
        for (const block of text.slice(0, end).split("\n\n")) {
          if (block.includes("event: replay.done") || !block.startsWith("id: ")) continue;
          seqs.push(Number(/^id: (\d+)/.exec(block)?.[1]));
        }
        text = text.slice(end + 2);
        if (seqs.at(-1) === head) break;
      }
      return seqs;
    },
  };
}

/** Acknowledges events, so that the server waits for it. */
export async function openPausedSocket(
  url: string,
  { id, token }: CreatedSession,
): Promise<PausedReader> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/sessions/${id}/socket`, "baton.v1", {
    headers: { Authorization: `Bearer ${token}` },
  });
  await once(socket, "open");
  const seqs: number[] = [];
  socket.on("message", (data) => {
    const message = JSON.parse(String(data)) as { type: string; event?: { seq: number } };
    if (message.event === undefined) return;
    seqs.push(message.event.seq);
    socket.send(JSON.stringify({ type: "ack", seq: message.event.seq }));
  });
  socket.send(JSON.stringify({ type: "hello", after: 0 }));
  while (seqs.length === 0) await sleep(POLL_MS);
  socket.pause();
  return {
    async readAll(head) {
      socket.resume();
      while (seqs.at(-1) !== head && socket.readyState === socket.OPEN) {
        await sleep(POLL_MS);
      }
      socket.terminate();
      return seqs;
    },
  };
}
