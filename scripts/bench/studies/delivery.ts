/**
 * The delivery of a commit to listeners: many sockets on one session, one event after the other, each
 * sent when all have received the one before. Time counts from the moment the append is sent, so it
 * includes the commit. The floor is an object that sends to its own hibernating sockets.
 */
import {
  appendBaton,
  appendFloor,
  bearer,
  createBaton,
  createFloor,
  type CreatedSession,
} from "../actors.ts";
import type { Load } from "../load.ts";
import { cpuSeconds, residentMb } from "../process-meter.ts";
import type { Servers } from "../servers.ts";
import { quantile } from "../stats.ts";
import { openSocket, type SocketConnection } from "../stream-connection.ts";

interface Delivery {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** CPU time of the runtime per event, for all listeners. */
  readonly cpuMsEach: number;
  /** Memory of the runtime per listener. */
  readonly kbEach: number;
  /** Listeners that missed an event, or received one twice. */
  readonly starved: number;
}

export interface DeliveryResult {
  readonly listeners: number;
  readonly events: number;
  readonly floor: Delivery;
  readonly baton: Delivery;
}

interface Listener {
  line: SocketConnection | null;
  received: number;
}

const CONCURRENCY = 50;
const PATIENCE_MS = 20_000;

interface Side {
  readonly load: Load;
  readonly path: string;
  readonly headers: Record<string, string>;
  /** The first message to send, and the text of the last message before live events. */
  readonly greeting: string | null;
  readonly ready: string | null;
  readonly eventMark: string;
  append(): Promise<unknown>;
}

async function deliver(side: Side, count: number, events: number): Promise<Delivery> {
  const before = residentMb(side.load.pid);
  let onHeard: (() => void) | null = null;
  const listeners: Listener[] = [];
  const open = async (): Promise<void> => {
    const listener: Listener = { line: null, received: 0 };
    listeners.push(listener);
    await new Promise<void>((resolve, reject) => {
      openSocket({
        port: side.load.port,
        path: side.path,
        headers: side.headers,
        onMessage(message) {
          if (side.ready !== null && message.includes(side.ready)) resolve();
          else if (message.includes(side.eventMark)) {
            listener.received += 1;
            onHeard?.();
          }
        },
      }).then((line) => {
        listener.line = line;
        if (side.greeting !== null) line.send(side.greeting);
        if (side.ready === null) resolve();
      }, reject);
    });
  };
  for (let opened = 0; opened < count; opened += CONCURRENCY) {
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, count - opened) }, open));
  }
  for (const listener of listeners) listener.received = 0;
  // Below zero if garbage was collected meanwhile.
  const kbEach = Math.max(0, ((residentMb(side.load.pid) - before) * 1024) / count);
  const took: number[] = [];
  const cpu = cpuSeconds(side.load.pid);
  for (let event = 0; event < events; event++) {
    let left = count;
    const startedAt = performance.now();
    const all = new Promise<void>((resolve) => {
      onHeard = () => {
        took.push(performance.now() - startedAt);
        left -= 1;
        if (left === 0) resolve();
      };
    });
    await side.append();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([all, late]);
    clearTimeout(timer);
  }
  const cpuMsEach = ((cpuSeconds(side.load.pid) - cpu) * 1000) / events;
  for (const { line } of listeners) line?.close();
  return {
    p50Ms: quantile(took, 0.5),
    p99Ms: quantile(took, 0.99),
    maxMs: quantile(took, 1),
    cpuMsEach,
    kbEach,
    starved: listeners.filter(({ received }) => received !== events).length,
  };
}

const floorSide = (load: Load, created: CreatedSession): Side => ({
  load,
  path: `/listen/${created.id}`,
  headers: {},
  greeting: null,
  ready: null,
  eventMark: "bench.event",
  append: appendFloor(load, created, 1),
});

const batonSide = (load: Load, session: CreatedSession): Side => ({
  load,
  path: `/sessions/${session.id}/socket`,
  headers: { ...bearer(session), "Sec-WebSocket-Protocol": "baton.v1" },
  greeting: `{"type":"hello"}`,
  ready: '"replay.done"',
  eventMark: "bench.event",
  append: appendBaton(load, session, 1),
});

export async function studyDelivery(
  { floor, baton }: Servers,
  sizes: readonly number[],
  events: number,
  progress: (text: string) => void,
): Promise<readonly DeliveryResult[]> {
  const results: DeliveryResult[] = [];
  for (const listeners of sizes) {
    progress(`${listeners} listeners`);
    const onFloor = floorSide(floor, await createFloor(floor));
    const onBaton = batonSide(baton, await createBaton(baton));
    results.push({
      listeners,
      events,
      floor: await deliver(onFloor, listeners, events),
      baton: await deliver(onBaton, listeners, events),
    });
  }
  return results;
}
