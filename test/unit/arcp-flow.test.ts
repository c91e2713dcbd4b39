import { describe, expect, it } from "vitest";
import { Flow } from "../../src/arcp/flow";

const LIMITS = { window: 100, silent: 1_000, waitMs: 60_000 };

describe("the flow towards a client that confirms", () => {
  it("is full past its window and has room again once an ack comes", async () => {
    const flow = new Flow(LIMITS, true);
    flow.sent(60, 1);
    flow.sent(60, 2);
    expect(flow.isFull).toBe(true);
    const room = flow.room();
    flow.acknowledged(1);
    expect(await room).toBe(true);
    expect(flow.lag).toBe(60);
  });

  it("wants one probe at half of its window, whose answer confirms what went before it", async () => {
    const flow = new Flow(LIMITS, true);
    flow.sent(51, 1);
    expect(flow.wantsProbe).toBe(true);
    flow.probe("a");
    expect(flow.wantsProbe).toBe(false);
    flow.sent(60, 2);
    const room = flow.room();
    flow.answered("unknown");
    expect(flow.isFull).toBe(true);
    flow.answered("a");
    expect(await room).toBe(true);
    expect(flow.lag).toBe(60);
  });

  it("gives up on one that makes no room in time, and when the connection is over", async () => {
    const late = new Flow({ ...LIMITS, waitMs: 0 }, true);
    late.sent(101, 1);
    expect(await late.room()).toBe(false);
    const over = new Flow(LIMITS, true);
    over.sent(101, 1);
    const room = over.room();
    over.release();
    expect(await room).toBe(false);
  });

  it("takes an ack of what was never sent for nothing, and an old one again too", () => {
    const flow = new Flow(LIMITS, true);
    flow.sent(10, 5);
    flow.acknowledged(4);
    expect(flow.lag).toBe(10);
    flow.acknowledged(9);
    flow.acknowledged(5);
    expect(flow.lag).toBe(0);
  });
});

describe("the flow towards a client that confirms nothing", () => {
  it("has room up to its own bound and none past it", async () => {
    const flow = new Flow(LIMITS, false);
    flow.sent(1_000, 1);
    expect(await flow.room()).toBe(true);
    flow.sent(1, 2);
    expect(await flow.room()).toBe(false);
  });
});
