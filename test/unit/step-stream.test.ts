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

const untilIdle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const linesOf = (step: Step): readonly string[] => {
  if (step.kind === "events") return step.texts.map((text) => `${text}\n`);
  return [`${step.kind}\n`];
};

/** What the client has read so far, one entry per chunk. */
async function open(object: FakeObject, types: readonly string[] = []) {
  const follower = new Follower(object, 0, types);
  const starting = follower.start();
  for (let step = 0; step < 2; step++) {
    object.acceptRequest();
    object.deliverAnswer();
    await untilIdle();
  }
  await starting;
  const chunks: string[] = [];
  const reader = streamSteps(follower, linesOf).getReader();
  const decoder = new TextDecoder();
  const state = { chunks, hasEnded: false };
  void (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(decoder.decode(value));
    }
    state.hasEnded = true;
  })();
  await untilIdle();
  return state;
}

describe("a follower's steps as a stream of server-sent events", () => {
  it("is sent in one chunk with everything that is there already", async () => {
    const object = new FakeObject();
    object.commit("a.b", 3);
    const { chunks } = await open(object);
    expect(chunks).toEqual([`retry: 1000\n\n${object.lines.join("\n")}\nreplayed\n`]);
  });

  it("is sent in several chunks if it is long, each with whole lines", async () => {
    const object = new FakeObject();
    object.commit("a.b", 3, "x".repeat(400_000));
    const { chunks } = await open(object);
    expect(chunks.length).toBe(2);
    expect(chunks.join("")).toBe(`retry: 1000\n\n${object.lines.join("\n")}\nreplayed\n`);
  });

  it("sends a keep-alive after every 15 s of silence", async () => {
    const object = new FakeObject();
    const { chunks } = await open(object);
    await vi.advanceTimersByTimeAsync(14_999);
    expect(chunks).toEqual(["retry: 1000\n\nreplayed\n"]);
    await vi.advanceTimersByTimeAsync(2);
    expect(chunks.at(-1)).toBe(": keep-alive\n\n");
    object.commit("a.b", 1);
    object.deliver();
    await vi.advanceTimersByTimeAsync(15_001);
    expect(chunks.slice(1)).toEqual([
      ": keep-alive\n\n",
      `${object.lines[0]}\n`,
      ": keep-alive\n\n",
    ]);
  });

  it("sends it also while only events of other types arrive", async () => {
    const object = new FakeObject(["a.b"]);
    const { chunks } = await open(object, ["a.b"]);
    for (let second = 0; second < 16; second++) {
      object.commit("c.d", 1);
      object.deliver();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(chunks.slice(1)).toEqual([": keep-alive\n\n"]);
  });

  it("ends after everything before its end", async () => {
    const object = new FakeObject();
    object.commit("a.b", 2);
    object.ended = true;
    const stream = await open(object);
    expect(stream.chunks.join("")).toBe(
      `retry: 1000\n\n${object.lines.join("\n")}\nreplayed\nend\n`,
    );
    expect(stream.hasEnded).toBe(true);
    expect(object.openSockets).toBe(0);
  });
});
