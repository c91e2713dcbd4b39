import { describe, expect, it } from "vitest";
import { Flow } from "../../src/arcp/flow";

const LIMITS = { window: 100, silent: 1_000, waitMs: 60_000 };

describe("the flow towards a client that confirms", () => {
  it("is full past its window and has capacity again after an ack", async () => {
    const flow = new Flow(LIMITS, true);
    flow.recordSent(60, 1);
    flow.recordSent(60, 2);
    expect(flow.isFull).toBe(true);
    const capacity = flow.awaitCapacity();
    flow.acknowledge(1);
    expect(await capacity).toBe(true);
    expect(flow.lag).toBe(60);
  });

  it("needs one probe at half of its window, and the reply confirms everything sent before the probe", async () => {
    const flow = new Flow(LIMITS, true);
    flow.recordSent(51, 1);
    expect(flow.needsProbe).toBe(true);
    flow.probe("a");
    expect(flow.needsProbe).toBe(false);
    flow.recordSent(60, 2);
    const capacity = flow.awaitCapacity();
    flow.confirmProbe("unknown");
    expect(flow.isFull).toBe(true);
    flow.confirmProbe("a");
    expect(await capacity).toBe(true);
    expect(flow.lag).toBe(60);
  });

  it("gives up on a client that does not confirm in time, and when the connection ends", async () => {
    const late = new Flow({ ...LIMITS, waitMs: 0 }, true);
    late.recordSent(101, 1);
    expect(await late.awaitCapacity()).toBe(false);
    const ended = new Flow(LIMITS, true);
    ended.recordSent(101, 1);
    const capacity = ended.awaitCapacity();
    ended.release();
    expect(await capacity).toBe(false);
  });

  it("ignores an ack below what was sent, and counts an ack beyond it as one of everything sent", () => {
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
  it("has capacity up to its own limit and none past it", async () => {
    const flow = new Flow(LIMITS, false);
    flow.recordSent(1_000, 1);
    expect(await flow.awaitCapacity()).toBe(true);
    flow.recordSent(1, 2);
    expect(await flow.awaitCapacity()).toBe(false);
  });
});
