/** Reads one whole log once, in each form, from Baton and from the floor. */
import { LIMITS } from "../../src/domain/limits.ts";
import { bearer, expectStatus, type CreatedSession } from "./actors.ts";
import type { Load } from "./load.ts";
import { openSocket } from "./stream-connection.ts";

/** The forms that leave the connection usable for the next call. SSE does so only for an ended session. */
export type Form = "JSON" | "NDJSON" | "SSE" | "WebSocket";

type Reader = (load: Load, log: CreatedSession, events: number, form: Form) => () => Promise<void>;

/** The server waits for a reader that acknowledges. This interval is well within the allowed window. */
const ACK_EVERY = 5_000;
const NEXT_PAGE = /"nextAfter":(\d+),"more":(true|false)/;

/** The minimum number of bytes for this many events. */
export function demandBytes(bytes: number, events: number): void {
  if (bytes < events * 100) throw new Error(`only ${bytes} bytes for ${events} events`);
}

/** The range as one text; for WebSocket one message per event, as in Baton. */
export const readFloor: Reader = (load, { id }, events, form) => {
  if (form === "WebSocket") return () => readSocket(load, `/socket/${id}`, {}, events);
  return () => readText(load, `/range/${id}?events=${events}`, {}, events);
};

export const readBaton: Reader = (load, session, events, form) => {
  const path = `/sessions/${session.id}`;
  const headers = bearer(session);
  const reading = (accept: string) => () =>
    readText(load, `${path}/events?after=0`, { ...headers, Accept: accept }, events);
  switch (form) {
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
  const reply = await load.send({ method: "GET", path, headers, isDropped: true });
  demandBytes(expectStatus(reply, 200).bytes, events);
}

/** Page by page, with the largest pages. The next position is at the start, so nothing is parsed. */
async function readPages(
  load: Load,
  path: string,
  headers: Record<string, string>,
  events: number,
): Promise<void> {
  let bytes = 0;
  for (let after = "0"; ; ) {
    const paged = `${path}?after=${after}&limit=${LIMITS.replayEvents}`;
    const call = { method: "GET", path: paged, headers, isDropped: true };
    const reply = expectStatus(await load.send(call), 200);
    bytes += reply.bytes;
    const [, next, more] = NEXT_PAGE.exec(reply.text.slice(0, 200)) ?? [];
    if (next === undefined) throw new Error(`no page: ${reply.text.slice(0, 200)}`);
    if (more === "false") break;
    after = next;
  }
  demandBytes(bytes, events);
}

const readSocket = (
  load: Load,
  path: string,
  headers: Record<string, string>,
  events: number,
): Promise<void> =>
  new Promise((settle, fail) => {
    let seen = 0;
    const opening = openSocket({
      port: load.port,
      path,
      headers,
      onMessage(message, line) {
        if (message.length < 1_000 && message.includes('"replay.done"')) {
          line.close();
          if (seen < events) fail(new Error(`only ${seen} of ${events} events`));
          else settle();
        } else if (message.includes('{"type":"event"')) {
          seen += 1;
          if (seen % ACK_EVERY === 0) line.send(`{"type":"ack","seq":${seen}}`);
        }
      },
      onClose: () => fail(new Error(`closed after ${seen} events`)),
    });
    opening.then((line) => {
      line.send(`{"type":"hello","after":0}`);
      // Announces acknowledgements: the server does not wait for a reader without them.
      line.send(`{"type":"ack","seq":0}`);
    }, fail);
  });
