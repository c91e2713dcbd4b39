/** Reads of a whole log: in each form, at each size, compared with the floor's one range read. */
import {
  bearer,
  endedBaton,
  expectStatus,
  filledBaton,
  filledFloor,
  type CreatedSession,
} from "./actors.ts";
import { HttpConnection } from "./http-connection.ts";
import type { Load } from "./load.ts";
import { assertMinimumBytes, readBaton, readFloor, type Format } from "./readers.ts";
import { readUntil } from "./stream-connection.ts";
import { shared, type Client, type Workload } from "./workload.ts";

/** Logs by filler and size, so that every form and every client reads the same one. */
const logs = new Map<string, (load: Load) => Promise<CreatedSession>>();

function logOf(
  fill: (load: Load, events: number) => Promise<CreatedSession>,
  events: number,
): (load: Load) => Promise<CreatedSession> {
  const key = `${fill.name} ${events}`;
  const log = logs.get(key) ?? shared((load: Load) => fill(load, events));
  logs.set(key, log);
  return log;
}

const floorReading =
  (events: number, form: Format): Client =>
  async (load) =>
    readFloor(load, await logOf(filledFloor, events)(load), events, form);

/** A stream ends only with its session. Then its connection is usable for the next call. */
const batonReading =
  (events: number, form: Format): Client =>
  async (load) => {
    const fill = form === "SSE" ? endedBaton : filledBaton;
    return readBaton(load, await logOf(fill, events)(load), events, form);
  };

/** Uses a new connection each time, as a stream that stays open requires. */
const readFloorAnew =
  (events: number): Client =>
  async (load) => {
    const { id } = await logOf(filledFloor, events)(load);
    const call = { method: "GET", path: `/range/${id}?events=${events}` };
    return async () => {
      const line = new HttpConnection(load.port);
      const reply = await line.send({ ...call, discardBody: true });
      line.close();
      assertMinimumBytes(expectStatus(reply, 200).bytes, events);
    };
  };

const COPIES: Readonly<Record<number, number>> = { 100: 16, 10_000: 4, 200_000: 1 };
const copies = new Map<number, (load: Load) => Promise<readonly CreatedSession[]>>();

/**
 * Alternates between several logs: the server notices a client that left only at the next write, up to
 * 15 s later, and until then it counts towards the session's limit of listeners.
 */
const readLeftOpen =
  (events: number): Client =>
  async (load) => {
    const all =
      copies.get(events) ??
      shared(async (one: Load) => {
        const streams = [await logOf(filledBaton, events)(one)];
        while (streams.length < (COPIES[events] ?? 1)) streams.push(await filledBaton(one, events));
        return streams;
      });
    copies.set(events, all);
    const sessions = await all(load);
    let turn = 0;
    return async () => {
      turn += 1;
      const session = sessions[turn % sessions.length] ?? { id: "", token: "" };
      const headers = { ...bearer(session), Accept: "text/event-stream" };
      const call = { method: "GET", path: `/sessions/${session.id}/events?after=0`, headers };
      assertMinimumBytes(await readUntil(load.port, call, "event: replay.done"), events);
    };
  };

/** Only the members that differ between events, for a reader that knows the actor and needs no state. */
const readMembers =
  (events: number): Client =>
  async (load) => {
    const session = await logOf(filledBaton, events)(load);
    const path = `/sessions/${session.id}/events?after=0&members=type,payload`;
    const headers = { ...bearer(session), Accept: "application/x-ndjson" };
    return async () => {
      const { text } = expectStatus(await load.send({ method: "GET", path, headers }), 200);
      const lines = text.split("\n").length - 1;
      if (lines < events) throw new Error(`${lines} of ${events} events came`);
    };
  };

const CLIENTS: Readonly<Record<number, number>> = { 100: 16, 10_000: 2, 200_000: 1 };
const FORMS: readonly Format[] = ["JSON", "NDJSON", "SSE", "WebSocket"];
/** The targets. The floor's lines are as long as ours, so calls are comparable to bytes. */
const TARGETS: Readonly<Record<string, number>> = {
  "replay 100 as SSE": 0.75,
  "replay 10,000 as JSON": 0.95,
  "replay 10,000 as NDJSON": 0.95,
};

function replay(events: number, shape: Pick<Workload, "name" | "floor" | "baton">): Workload {
  const isMain = events === 10_000;
  const target = TARGETS[shape.name];
  return {
    ...shape,
    group: "replay",
    clients: CLIENTS[events] ?? 1,
    events,
    ...(target === undefined ? {} : { target }),
    isQuick: isMain,
  };
}

export const REPLAYS: readonly Workload[] = [100, 10_000, 200_000].flatMap((events) => {
  const nameOf = (form: string): string => `replay ${events.toLocaleString("en")} as ${form}`;
  return [
    ...FORMS.map((form) =>
      replay(events, {
        name: nameOf(form),
        floor: floorReading(events, form),
        baton: batonReading(events, form),
      }),
    ),
    ...(events === 10_000
      ? [
          {
            name: nameOf("NDJSON, type and payload"),
            group: "replay" as const,
            clients: CLIENTS[events] ?? 1,
            floor: floorReading(events, "NDJSON"),
            baton: readMembers(events),
          },
        ]
      : []),
    replay(events, {
      name: nameOf("SSE, left open"),
      floor: readFloorAnew(events),
      baton: readLeftOpen(events),
    }),
  ];
});
