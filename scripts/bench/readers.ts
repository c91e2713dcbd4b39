/** Reads one whole log once, in each format, from Baton and from the floor (the minimal Worker of floor-worker.ts). */
import { LIMITS } from "../../src/domain/limits.ts";
import { bearer, expectStatus, type CreatedSession } from "./actors.ts";
import type { Load } from "./load.ts";
import { openSocket } from "./stream-connection.ts";

/** All of them leave the connection usable for the next call. SSE does so only for an ended session. */
export type Format = "JSON" | "NDJSON" | "SSE" | "WebSocket";

type Reader = (
  load: Load,
  session: CreatedSession,
  events: number,
  format: Format,
) => () => Promise<void>;

/** The server waits for a reader that acknowledges. This interval is well within the allowed window. */
const ACK_EVERY = 5_000;
const NEXT_PAGE = /"nextAfter":(\d+),"more":(true|false)/;

/** Throws if the response is too short to contain this many events. */
export function assertMinimumBytes(bytes: number, events: number): void {
  if (bytes < events * 100) throw new Error(`only ${bytes} bytes for ${events} events`);
}

/** Reads the range as one response body. Over WebSocket it reads one message per event, as from Baton. */
export const readFloor: Reader = (load, { id }, events, format) => {
  if (format === "WebSocket") return () => readSocket(load, `/socket/${id}`, {}, events);
  return () => readText(load, `/range/${id}?events=${events}`, {}, events);
};

export const readBaton: Reader = (load, session, events, format) => {
  const path = `/sessions/${session.id}`;
  const headers = bearer(session);
  const reading = (accept: string) => () =>
    readText(load, `${path}/events?after=0`, { ...headers, Accept: accept }, events);
  switch (format) {
    case "JSON":
      return () => readPages(load, `${path}/events`, headers, events);
    case "NDJSON":
      return reading("application/x-ndjson");
    case "SSE":
      return reading("text/event-stream");
    case "WebSocket": {
      const upgrade = { ...headers, "Sec-WebSocket-Protocol": "baton.v1" };
      return () => readSocket(load, `${path}/socket`, upgrade, events);
    }
  }
};

async function readText(
  load: Load,
  path: string,
  headers: Record<string, string>,
  events: number,
): Promise<void> {
  const reply = await load.send({ method: "GET", path, headers, discardBody: true });
  assertMinimumBytes(expectStatus(reply, 200).bytes, events);
}

/** Reads the largest pages, one after another. The next position is at the start of a page, so nothing is parsed. */
async function readPages(
  load: Load,
  path: string,
  headers: Record<string, string>,
  events: number,
): Promise<void> {
  let bytes = 0;
  for (let after = "0"; ; ) {
    const paged = `${path}?after=${after}&limit=${LIMITS.replayEvents}`;
    const call = { method: "GET", path: paged, headers, discardBody: true };
    const reply = expectStatus(await load.send(call), 200);
    bytes += reply.bytes;
    const [, next, more] = NEXT_PAGE.exec(reply.text.slice(0, 200)) ?? [];
    if (next === undefined) throw new Error(`no page: ${reply.text.slice(0, 200)}`);
    if (more === "false") break;
    after = next;
  }
  assertMinimumBytes(bytes, events);
}

const readSocket = (
  load: Load,
  path: string,
  headers: Record<string, string>,
  events: number,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let seen = 0;
    const connecting = openSocket({
      port: load.port,
      path,
      headers,
      onMessage(message, socket) {
        if (message.length < 1_000 && message.includes('"replay.done"')) {
          socket.close();
          if (seen < events) reject(new Error(`only ${seen} of ${events} events`));
          else resolve();
        } else if (message.includes('{"type":"event"')) {
          seen += 1;
          if (seen % ACK_EVERY === 0) socket.send(`{"type":"ack","seq":${seen}}`);
        }
      },
      onClose: () => reject(new Error(`closed after ${seen} events`)),
    });
    connecting.then((socket) => {
      socket.send(`{"type":"hello","after":0}`);
      // Announces acknowledgements: the server does not wait for a reader without them.
      socket.send(`{"type":"ack","seq":0}`);
    }, reject);
  });
