/**
 * Converts counted work to dollars. It is pure, so that a test can recompute the tables in
 * docs/performance.md. Allowances of a plan are not deducted; every figure is a list price.
 */

/** US dollars, as published on this day on the pages named in docs/performance.md. */
export const PRICES = {
  asOf: "2026-11-16",
  workerRequestsPerMillion: 0.3,
  workerCpuMsPerMillion: 0.02,
  /** HTTP requests, RPC calls and alarms; incoming WebSocket messages count a twentieth. */
  objectRequestsPerMillion: 0.15,
  objectGbSecondsPerMillion: 12.5,
  rowsReadPerMillion: 0.001,
  rowsWrittenPerMillion: 1,
  storedGbMonth: 0.2,
  fileGbMonth: 0.015,
  fileWritesPerMillion: 4.5,
  fileReadsPerMillion: 0.36,
} as const;

/** An active object is billed for this much memory, independent of its use. */
const OBJECT_GB = 0.128;

export const OPERATIONS = [
  "create",
  "get",
  "set fields",
  "append 1 event",
  "append 100 events",
  "resume",
  "read 100 events",
  "look at a link",
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** The work of one operation, as counted by test/workers/counted-work.test.ts. */
export interface Counted {
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly objectRequests: number;
}

/** The times of one operation, as measured on one machine. */
interface Timed {
  readonly wallMs: number;
  readonly cpuMs: number;
}

interface Bill {
  readonly requests: number;
  readonly cpu: number;
  readonly duration: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly total: number;
}

/** GB-seconds of one operation: the object is active at most from the call to the answer. */
export const gbSeconds = ({ wallMs }: Pick<Timed, "wallMs">): number => (wallMs / 1000) * OBJECT_GB;

/** Dollars per million operations. */
export function billPerMillion(counted: Counted, timed: Timed): Bill {
  const parts = {
    requests:
      PRICES.workerRequestsPerMillion + counted.objectRequests * PRICES.objectRequestsPerMillion,
    cpu: timed.cpuMs * PRICES.workerCpuMsPerMillion,
    duration: gbSeconds(timed) * PRICES.objectGbSecondsPerMillion,
    rowsRead: counted.rowsRead * PRICES.rowsReadPerMillion,
    rowsWritten: counted.rowsWritten * PRICES.rowsWrittenPerMillion,
  };
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { ...parts, total };
}

/** A sample session: how often each operation happens in its lifetime. */
export const SAMPLE_SESSION: Readonly<Partial<Record<Operation, number>>> = {
  create: 1,
  get: 10,
  "set fields": 10,
  "append 1 event": 50,
  "append 100 events": 5,
  resume: 3,
  "read 100 events": 3,
  "look at a link": 2,
};
/** Its alarms: expiry and purge. Each is a request and sets at most one row. */
const ALARMS = 2;
/** It is open for seven days and retained for thirty, the defaults. */
export const SAMPLE_DAYS = 37;
const MONTH_DAYS = 30;

interface SessionBill {
  readonly operations: number;
  readonly alarms: number;
  readonly storage: number;
  readonly total: number;
}

/** Dollars for a thousand sessions like the sample. */
export function billPerThousandSessions(
  counted: Readonly<Record<Operation, Counted>>,
  timed: Readonly<Record<Operation, Timed>>,
  bytesEach: number,
): SessionBill {
  const each = OPERATIONS.reduce(
    (sum, name) =>
      sum + (SAMPLE_SESSION[name] ?? 0) * billPerMillion(counted[name], timed[name]).total,
    0,
  );
  const operations = each / 1000;
  const alarms = (ALARMS * (PRICES.objectRequestsPerMillion + PRICES.rowsWrittenPerMillion)) / 1000;
  const gbMonths = ((bytesEach * 1000) / 1e9) * (SAMPLE_DAYS / MONTH_DAYS);
  const storage = gbMonths * PRICES.storedGbMonth;
  return { operations, alarms, storage, total: operations + alarms + storage };
}

const KEEP_ALIVE_S = 15;
const MONTH_S = MONTH_DAYS * 24 * 3600;

interface ListenerTimes {
  /** CPU time of the whole runtime to deliver one event to all listeners. */
  readonly deliveryCpuMs: number;
  /** From the append until the last listener has received it. After that the object is not active. */
  readonly deliveryMs: number;
  /** CPU time of one keep-alive comment. Assumed, because it is too small to measure. */
  readonly keepAliveCpuMs: number;
}

interface ListenerBill {
  /** Once per listener: one request to the Worker and two to the object, to listen and to read. */
  readonly connecting: number;
  /** A month without events over SSE, which needs keep-alive comments. */
  readonly idleSseMonth: number;
  /** A month without events over WebSocket, which needs none. */
  readonly idleSocketMonth: number;
  /** A million events, each delivered to all listeners. */
  readonly eventsPerMillion: number;
  /** A month of the same listeners if they kept the object active. */
  readonly heldAwakeMonth: number;
}

/** Dollars for this many listeners of one session. Messages sent by an object are not billed. */
export function billForListeners(listeners: number, times: ListenerTimes): ListenerBill {
  const connecting =
    (listeners * (PRICES.workerRequestsPerMillion + 2 * PRICES.objectRequestsPerMillion)) / 1e6;
  const comments = (MONTH_S / KEEP_ALIVE_S) * listeners;
  const idleSseMonth = (comments * times.keepAliveCpuMs * PRICES.workerCpuMsPerMillion) / 1e6;
  const eventsPerMillion =
    times.deliveryCpuMs * PRICES.workerCpuMsPerMillion +
    gbSeconds({ wallMs: times.deliveryMs }) * PRICES.objectGbSecondsPerMillion;
  const heldAwakeMonth = (MONTH_S * OBJECT_GB * PRICES.objectGbSecondsPerMillion) / 1e6;
  return { connecting, idleSseMonth, idleSocketMonth: 0, eventsPerMillion, heldAwakeMonth };
}
