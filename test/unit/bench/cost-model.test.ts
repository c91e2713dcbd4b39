import { describe, expect, it } from "vitest";
import {
  billForListeners,
  billPerMillion,
  billPerThousandSessions,
  gbSeconds,
  OPERATIONS,
  type Operation,
} from "../../../scripts/bench/cost-model.ts";

const nothing = { rowsRead: 0, rowsWritten: 0, objectRequests: 0 };
const noTime = { wallMs: 0, cpuMs: 0 };
const each = <T>(value: T): Record<Operation, T> =>
  Object.fromEntries(OPERATIONS.map((name) => [name, value])) as Record<Operation, T>;

describe("the bill of a million operations", () => {
  it("is only the Worker's request if nothing else is done", () => {
    expect(billPerMillion(nothing, noTime).total).toBeCloseTo(0.3);
  });

  it("adds each part at its list price", () => {
    const work = { rowsRead: 1000, rowsWritten: 2, objectRequests: 3 };
    const bill = billPerMillion(work, { wallMs: 10, cpuMs: 5 });
    expect(bill.requests).toBeCloseTo(0.3 + 3 * 0.15);
    expect(bill.rowsRead).toBeCloseTo(1);
    expect(bill.rowsWritten).toBeCloseTo(2);
    expect(bill.cpu).toBeCloseTo(0.1);
    // 10,000 s at 0.128 GB are 1,280 GB-s.
    expect(bill.duration).toBeCloseTo(0.016);
    expect(bill.total).toBeCloseTo(0.75 + 1 + 2 + 0.1 + 0.016);
  });

  it("counts an object's memory as 128 MB", () => {
    expect(gbSeconds({ wallMs: 1000 })).toBeCloseTo(0.128);
  });
});

describe("the bill of a thousand sessions", () => {
  it("is requests, alarms and storage", () => {
    const bill = billPerThousandSessions(each(nothing), each(noTime), 150_000);
    // 84 operations at the price of a Worker's request.
    expect(bill.operations).toBeCloseTo((84 * 0.3) / 1000);
    expect(bill.alarms).toBeCloseTo(0.0023);
    // 0.15 GB for 37 days.
    expect(bill.storage).toBeCloseTo(0.15 * (37 / 30) * 0.2);
    expect(bill.total).toBeCloseTo(bill.operations + bill.alarms + bill.storage);
  });
});

describe("the bill of a thousand listeners", () => {
  const bill = billForListeners(1000, { deliveryCpuMs: 100, deliveryMs: 50, keepAliveCpuMs: 0.1 });

  it("is the requests to connect, and nothing for silence over WebSocket", () => {
    expect(bill.connecting).toBeCloseTo(0.0006);
    expect(bill.idleSocketMonth).toBe(0);
  });

  it("is the Worker's time for comments over SSE", () => {
    // 172,800 comments per listener, 0.1 ms each.
    expect(bill.idleSseMonth).toBeCloseTo(0.3456);
  });

  it("is far below what an object that stays awake would cost", () => {
    expect(bill.heldAwakeMonth).toBeCloseTo(4.1472);
  });

  it("counts the object's time and the Worker's for each event", () => {
    expect(bill.eventsPerMillion).toBeCloseTo(100 * 0.02 + 0.05 * 0.128 * 12.5);
  });
});
