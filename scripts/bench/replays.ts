/** Reading a whole log: in each form, at each size, beside the floor's one range read. */
import { LIMITS } from "../../src/domain/limits.ts";
import {
  bearer,
  endedBaton,
  expectStatus,
  filledBaton,
  filledFloor,
  type Begun,
} from "./actors.ts";
import { HttpLine } from "./http-line.ts";
import type { Load } from "./load.ts";
import { openSocket, readUntil } from "./stream-line.ts";
import { shared, type Client, type Workload } from "./workload.ts";

type Form = "JSON" | "NDJSON" | "SSE" | "SSE, left open" | "WebSocket";

/** A reader that acknowledges is waited for; this often is well within what may be left open. */
const ACK_EVERY = 5_000;
const NEXT_PAGE = /"nextAfter":(\d+),"more":(true|false)/;

/** By its size, so that every form and every client reads the same one. */
const logs = new Map<string, (load: Load) => Promise<Begun>>();

function logOf(side: "floor" | "baton", events: number): (load: Load) => Promise<Begun> {
  const key = `${side} ${events}`;
  const fill = side === "floor" ? filledFloor : filledBaton;
  const log = logs.get(key) ?? shared((load: Load) => fill(load, events));
  logs.set(key, log);
  return log;
}

/** So many bytes at least are that many events. */
function demandBytes(bytes: number, events: number): void {
  if (bytes < events * 100) throw new Error(`only ${bytes} bytes for ${events} events`);
}

const readFloor =
  (events: number): Client =>
  async (load) => {
    const { id } = await logOf("floor", events)(load);
    const call = { method: "GET", path: `/range/${id}?events=${events}`, isDropped: true };
    return async () => demandBytes(expectStatus(await load.send(call), 200).bytes, events);
  };

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
      // Says that it will acknowledge: one that never did is not waited for.
      line.send(`{"type":"ack","seq":0}`);
    }, fail);
  });

/**
 * Over a connection of its own each time, as Baton's: a stream of server-sent events does not end, so
 * its client cannot go on with the same one.
 */
const readFloorAnew =
  (events: number): Client =>
  async (load) => {
    const { id } = await logOf("floor", events)(load);
    const call = { method: "GET", path: `/range/${id}?events=${events}` };
    return async () => {
      const line = new HttpLine(load.port);
      const reply = await line.send({ ...call, isDropped: true });
      line.close();
      demandBytes(expectStatus(reply, 200).bytes, events);
    };
  };

/** One message an event, as Baton's. */
const readFloorSocket =
  (events: number): Client =>
  async (load) => {
    const { id } = await logOf("floor", events)(load);
    return () => readSocket(load, `/socket/${id}`, {}, events);
  };

const readBaton =
  (events: number, form: Form): Client =>
  async (load) => {
    const session = await logOf("baton", events)(load);
    const path = `/sessions/${session.id}/events`;
    const headers = bearer(session);
    switch (form) {
      case "JSON":
        return () => readPages(load, path, headers, events);
      case "NDJSON": {
        const accepting = { ...headers, Accept: "application/x-ndjson" };
        const call = {
          method: "GET",
          path: `${path}?after=0`,
          headers: accepting,
          isDropped: true,
        };
        return async () => demandBytes(expectStatus(await load.send(call), 200).bytes, events);
      }
      case "SSE":
        return readEnded(load, events);
      case "SSE, left open":
        return streaming(load, events);
      case "WebSocket": {
        const upgrade = { ...headers, "Sec-WebSocket-Protocol": "baton.v1" };
        return () => readSocket(load, `/sessions/${session.id}/socket`, upgrade, events);
      }
    }
  };

const ended = new Map<number, (load: Load) => Promise<Begun>>();

/** Of a session that has ended: the stream ends with it, and its connection serves the next call. */
async function readEnded(load: Load, events: number): Promise<() => Promise<void>> {
  const log = ended.get(events) ?? shared((one: Load) => endedBaton(one, events));
  ended.set(events, log);
  const session = await log(load);
  const headers = { ...bearer(session), Accept: "text/event-stream" };
  const path = `/sessions/${session.id}/events?after=0`;
  const call = { method: "GET", path, headers, isDropped: true };
  return async () => demandBytes(expectStatus(await load.send(call), 200).bytes, events);
}

const COPIES: Readonly<Record<number, number>> = { 100: 16, 10_000: 4, 200_000: 1 };
const copies = new Map<number, (load: Load) => Promise<readonly Begun[]>>();

/**
 * In turn on several logs: a client that left is noticed with the next thing written to it, up to
 * 15 s later, and until then it counts among the listeners that one session may have.
 */
async function streaming(load: Load, events: number): Promise<() => Promise<void>> {
  const all =
    copies.get(events) ??
    shared(async (one: Load) => {
      const made = [await logOf("baton", events)(one)];
      while (made.length < (COPIES[events] ?? 1)) made.push(await filledBaton(one, events));
      return made;
    });
  copies.set(events, all);
  const sessions = await all(load);
  let turn = 0;
  return async () => {
    turn += 1;
    const session = sessions[turn % sessions.length] ?? { id: "", token: "" };
    const headers = { ...bearer(session), Accept: "text/event-stream" };
    const call = { method: "GET", path: `/sessions/${session.id}/events?after=0`, headers };
    demandBytes(await readUntil(load.port, call, "event: replay.done"), events);
  };
}

/** Page by page, as large as they come. Where to go on stands in front, so nothing is parsed. */
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

const CLIENTS: Readonly<Record<number, number>> = { 100: 16, 10_000: 2, 200_000: 1 };
const FLOORS: Readonly<Record<Form, (events: number) => Client>> = {
  JSON: readFloor,
  NDJSON: readFloor,
  SSE: readFloor,
  "SSE, left open": readFloorAnew,
  WebSocket: readFloorSocket,
};
const TARGETS: Readonly<Record<Form, number | undefined>> = {
  JSON: 0.75,
  NDJSON: 0.8,
  SSE: 0.6,
  "SSE, left open": 0.6,
  WebSocket: undefined,
};

export const REPLAYS: readonly Workload[] = [100, 10_000, 200_000].flatMap((events) =>
  (["JSON", "NDJSON", "SSE", "SSE, left open", "WebSocket"] as const).map((form): Workload => {
    const target = events === 10_000 ? TARGETS[form] : undefined;
    return {
      name: `replay ${events.toLocaleString("en")} as ${form}`,
      group: "replay",
      clients: CLIENTS[events] ?? 1,
      ...(target === undefined ? {} : { target }),
      isQuick: events === 10_000,
      floor: FLOORS[form](events),
      baton: readBaton(events, form),
    };
  }),
);
