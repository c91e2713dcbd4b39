import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Follower } from "../../src/gateway/follower";
import type { Step } from "../../src/gateway/feed";
import { streamSteps } from "../../src/gateway/step-stream";
import { FakeObject } from "../support/live/fake-feed";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const untilIdle = (): Promise<void> => new Promise((settle) => setImmediate(settle));

const linesOf = (step: Step): readonly string[] => {
  if (step.kind === "events") return step.texts.map((text) => `${text}\n`);
  return [`${step.kind}\n`];
};

/** What the client has read so far, a piece an entry. */
async function open(object: FakeObject, types: readonly string[] = []) {
  const follower = new Follower(object, 0, types);
  const starting = follower.start();
  for (let step = 0; step < 2; step++) {
    object.acceptRequest();
    object.deliverAnswer();
    await untilIdle();
  }
  await starting;
  const pieces: string[] = [];
  const reader = streamSteps(follower, linesOf).getReader();
  const decoder = new TextDecoder();
  const state = { pieces, isOver: false };
  void (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(decoder.decode(value));
    }
    state.isOver = true;
  })();
  await untilIdle();
  return state;
}

describe("a follower's steps as a stream of server-sent events", () => {
  it("goes out in one piece with all that is there already", async () => {
    const object = new FakeObject();
    object.commit("a.b", 3);
    const { pieces } = await open(object);
    expect(pieces).toEqual([`retry: 1000\n\n${object.lines.join("\n")}\nreplayed\n`]);
  });

  it("comes in several pieces where it is long, of which each line is in one", async () => {
    const object = new FakeObject();
    object.commit("a.b", 3, "x".repeat(400_000));
    const { pieces } = await open(object);
    expect(pieces.length).toBe(2);
    expect(pieces.join("")).toBe(`retry: 1000\n\n${object.lines.join("\n")}\nreplayed\n`);
  });

  it("says that it is alive every 15 s in which nothing is to be said", async () => {
    const object = new FakeObject();
    const { pieces } = await open(object);
    await vi.advanceTimersByTimeAsync(14_999);
    expect(pieces).toEqual(["retry: 1000\n\nreplayed\n"]);
    await vi.advanceTimersByTimeAsync(2);
    expect(pieces.at(-1)).toBe(": keep-alive\n\n");
    object.commit("a.b", 1);
    object.deliver();
    await vi.advanceTimersByTimeAsync(15_001);
    expect(pieces.slice(1)).toEqual([
      ": keep-alive\n\n",
      `${object.lines[0]}\n`,
      ": keep-alive\n\n",
    ]);
  });

  it("says so also while there is news that it does not ask for", async () => {
    const object = new FakeObject(["a.b"]);
    const { pieces } = await open(object, ["a.b"]);
    for (let second = 0; second < 16; second++) {
      object.commit("c.d", 1);
      object.deliver();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(pieces.slice(1)).toEqual([": keep-alive\n\n"]);
  });

  it("ends with its end, after everything before it", async () => {
    const object = new FakeObject();
    object.commit("a.b", 2);
    object.ended = true;
    const stream = await open(object);
    expect(stream.pieces.join("")).toBe(
      `retry: 1000\n\n${object.lines.join("\n")}\nreplayed\nend\n`,
    );
    expect(stream.isOver).toBe(true);
    expect(object.openSockets).toBe(0);
  });
});
