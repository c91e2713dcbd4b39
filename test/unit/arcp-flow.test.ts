import { describe, expect, it } from "vitest";
import { Flow } from "../../src/arcp/flow";

const LIMITS = { window: 100, silent: 1_000, waitMs: 60_000 };

describe("the flow towards a client that confirms", () => {
  it("is full past its window and has room again once an ack comes", async () => {
    const flow = new Flow(LIMITS, true);
    flow.recordSent(60, 1);
    flow.recordSent(60, 2);
    expect(flow.isFull).toBe(true);
    const room = flow.awaitCapacity();
    flow.acknowledge(1);
    expect(await room).toBe(true);
    expect(flow.lag).toBe(60);
  });

  it("wants one probe at half of its window, whose answer confirms what went before it", async () => {
    const flow = new Flow(LIMITS, true);
    flow.recordSent(51, 1);
    expect(flow.needsProbe).toBe(true);
    flow.probe("a");
    expect(flow.needsProbe).toBe(false);
    flow.recordSent(60, 2);
    const room = flow.awaitCapacity();
    flow.confirmProbe("unknown");
    expect(flow.isFull).toBe(true);
    flow.confirmProbe("a");
    expect(await room).toBe(true);
    expect(flow.lag).toBe(60);
  });

  it("gives up on one that makes no room in time, and when the connection is over", async () => {
    const late = new Flow({ ...LIMITS, waitMs: 0 }, true);
    late.recordSent(101, 1);
    expect(await late.awaitCapacity()).toBe(false);
    const over = new Flow(LIMITS, true);
    over.recordSent(101, 1);
    const room = over.awaitCapacity();
    over.release();
    expect(await room).toBe(false);
  });

  it("takes an ack of what was never sent for nothing, and an old one again too", () => {
    const flow = new Flow(LIMITS, true);
    flow.recordSent(10, 5);
    flow.acknowledge(4);
    expect(flow.lag).toBe(10);
    flow.acknowledge(9);
    flow.acknowledge(5);
    expect(flow.lag).toBe(0);
  });
});

describe("the flow towards a client that confirms nothing", () => {
  it("has room up to its own bound and none past it", async () => {
    const flow = new Flow(LIMITS, false);
    flow.recordSent(1_000, 1);
    expect(await flow.awaitCapacity()).toBe(true);
    flow.recordSent(1, 2);
    expect(await flow.awaitCapacity()).toBe(false);
  });
});
