/** The costs of the counted work, as the generated parts of docs/performance.md. */
import {
  billForListeners,
  billPerMillion,
  billPerThousandSessions,
  gbSeconds,
  OPERATIONS,
  PRICES,
  SAMPLE_DAYS,
  SAMPLE_SESSION,
  type Counted,
  type Operation,
} from "./cost-model.ts";
import type { Result } from "./result.ts";
import { markdownTable as table, short } from "./table.ts";

export interface CountedWork {
  readonly operations: Readonly<Record<Operation, Counted>>;
  readonly sessionBytes: number;
}

const dollars = (amount: number): string =>
  `$${amount >= 100 ? amount.toFixed(0) : amount >= 0.1 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(2)}`;

/** `alone` contains the time of each operation with a single client. */
export function costBlock({ alone: timings }: Result, counted: CountedWork): string | null {
  if (timings === undefined) return null;
  const rows = OPERATIONS.map((name) => {
    const [work, time] = [counted.operations[name], timings[name]];
    const bill = billPerMillion(work, time);
    return [
      name,
      String(work.rowsWritten),
      String(work.rowsRead),
      String(work.objectRequests),
      `${short(time.wallMs)} ms`,
      gbSeconds(time).toFixed(5),
      `${short(time.cpuMs)} ms`,
      dollars(bill.total),
    ];
  });
  const head = [
    "operation",
    "rows written",
    "rows read",
    "object requests",
    "duration",
    "GB-s",
    "CPU",
    "per million",
  ];
  const session = billPerThousandSessions(counted.operations, timings, counted.sessionBytes);
  const sampleOperations = OPERATIONS.flatMap((name) => {
    const count = SAMPLE_SESSION[name];
    return count === undefined ? [] : [`${count} × ${name}`];
  });
  return (
    `${table(head, rows)}\n\nIn this sample, each session has ${sampleOperations.join(", ")}, ` +
    `two alarms, and ${Math.round(counted.sessionBytes / 1000)} KB stored for ${SAMPLE_DAYS} days. A thousand such sessions cost ` +
    `${dollars(session.total)}: ${dollars(session.operations)} for operations, ${dollars(session.alarms)} for alarms ` +
    `and ${dollars(session.storage)} for storage.`
  );
}

/** The CPU time of one keep-alive comment of SSE. It is too small to measure, so this is a high estimate. */
const KEEP_ALIVE_CPU_MS = 0.1;
const LISTENERS = 1_000;

export function listenersBlock({ delivery }: Result): string | null {
  const measured = delivery?.find(({ listeners }) => listeners === LISTENERS)?.baton;
  if (measured === undefined) return null;
  const bill = billForListeners(LISTENERS, {
    deliveryCpuMs: measured.cpuMsEach,
    deliveryMs: measured.maxMs,
    keepAliveCpuMs: KEEP_ALIVE_CPU_MS,
  });
  return table(
    ["1,000 listeners of one session", "dollars"],
    [
      ["connecting, once", dollars(bill.connecting)],
      ["one idle month over WebSocket", dollars(bill.idleSocketMonth)],
      ["one idle month over SSE, with a comment every 15 s", dollars(bill.idleSseMonth)],
      [
        "a million events, each sent to all of them, without the appends",
        dollars(bill.eventsPerMillion),
      ],
      [
        "for comparison: a month, if the object held the connections and stayed awake",
        dollars(bill.heldAwakeMonth),
      ],
    ],
  );
}

export const pricesBlock = (): string =>
  table(
    [`list price on ${PRICES.asOf}`, "dollars"],
    [
      ["a million requests to a Worker", dollars(PRICES.workerRequestsPerMillion)],
      ["a million ms of a Worker's CPU time", dollars(PRICES.workerCpuMsPerMillion)],
      ["a million requests to an object", dollars(PRICES.objectRequestsPerMillion)],
      ["a million GB-s of an object's duration", dollars(PRICES.objectGbSecondsPerMillion)],
      ["a million rows written", dollars(PRICES.rowsWrittenPerMillion)],
      ["a million rows read", dollars(PRICES.rowsReadPerMillion)],
      ["a GB of an object's storage for a month", dollars(PRICES.storedGbMonth)],
      ["a GB of files in R2 for a month", dollars(PRICES.fileGbMonth)],
      ["a million writes of files in R2", dollars(PRICES.fileWritesPerMillion)],
      ["a million reads of files in R2", dollars(PRICES.fileReadsPerMillion)],
    ],
  );
