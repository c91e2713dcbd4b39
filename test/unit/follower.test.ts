/** A follower with a fake object: its start, its ends, lost announcements, and the law that holds for all. */
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { linesIn, matchesTypes, seqInLine } from "../../src/domain/log/event-line";
import { LIMITS } from "../../src/domain/limits";
import { CLOSE_CODES } from "../../src/domain/log/listener-protocol";
import { Backlog } from "../../src/gateway/backlog";
import { Follower } from "../../src/gateway/follower";
import type { Step } from "../../src/gateway/feed";
import { FakeObject } from "../support/live/fake-feed";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Long enough for a pause between two attempts to connect. */
const A_WHILE_MS = 4_000;

/** Waits until everything that can continue by itself has done so. */
const untilIdle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Reads one step at a time on demand, like a client that reads when it likes. */
class Consumer {
  readonly seqs: number[] = [];
  readonly replayed: number[] = [];
  end: Step | null = null;
  readonly #follower: Follower;
  #isReading = false;

  constructor(follower: Follower) {
    this.#follower = follower;
  }

  readStep(): void {
    if (this.#isReading || this.end !== null) return;
    this.#isReading = true;
    void this.#follower.next().then((step) => {
      this.#isReading = false;
      if (step.kind === "events") this.seqs.push(...linesIn(step.texts).map(seqInLine));
      else if (step.kind === "replayed") this.replayed.push(step.head);
      else this.end = step;
    });
  }
}

/** Commits `between` events after the first page was read and before the follower listens. */
async function startFollower(
  object: FakeObject,
  after: number,
  types: readonly string[] = [],
  between = 0,
) {
  const follower = new Follower(object, after, types);
  const starting = follower.start();
  object.acceptRequest();
  if (between > 0) object.commit("a.one", between);
  object.deliverAnswer();
  await untilIdle();
  object.acceptRequest();
  object.deliverAnswer();
  await untilIdle();
  expect((await starting).ok).toBe(true);
  return { follower, consumer: new Consumer(follower) };
}

/** Lets every message arrive and the consumer read until nothing moves any more. */
async function drain(object: FakeObject, consumer: Consumer): Promise<void> {
  let isMoving = true;
  for (let idle = 0; idle < 3; idle = isMoving ? 0 : idle + 1) {
    const before = `${consumer.seqs.length} ${object.reads} ${object.sockets.length}`;
    for (let turn = 0; turn < 20; turn++) {
      consumer.readStep();
      object.acceptRequest();
      object.deliverAnswer();
      object.deliver();
      await untilIdle();
    }
    await vi.advanceTimersByTimeAsync(A_WHILE_MS);
    isMoving = before !== `${consumer.seqs.length} ${object.reads} ${object.sockets.length}`;
  }
}

/** Small, large, and too large to be sent to every listener. */
const SIZES = [10, 100_000, LIMITS.announcedLength + 1];

const FILLINGS = ["", "x".repeat(1_000), "x".repeat(60_000), "x".repeat(120_000)];

const action = fc.oneof(
  fc.record({
    what: fc.constant("commit" as const),
    type: fc.constantFrom("a.one", "a.two", "b.one"),
    count: fc.integer({ min: 1, max: 5 }),
    filling: fc.constantFrom(...FILLINGS),
  }),
  // More at once than the backlog holds for a consumer that does not read.
  fc.record({ what: fc.constant("burst" as const) }),
  fc.record({
    what: fc.constantFrom(
      "deliver" as const,
      "accept" as const,
      "answer" as const,
      "consume" as const,
      "consume" as const,
      "hang up" as const,
      "lose announcement" as const,
      "be unreachable" as const,
      "wait" as const,
    ),
  }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

async function runAction(one: Action, object: FakeObject, consumer: Consumer): Promise<void> {
  switch (one.what) {
    case "commit":
      return object.commit(one.type, one.count, one.filling);
    case "burst":
      for (let commit = 0; commit < 6; commit++) object.commit("a.one", 1, "x".repeat(100_000));
      for (let commit = 0; commit < 6; commit++) object.deliver();
      return;
    case "deliver":
      return object.deliver();
    case "accept":
      return object.acceptRequest();
    case "answer":
      return object.deliverAnswer();
    case "consume":
      return consumer.readStep();
    case "hang up":
      return object.hangUp();
    case "lose announcement":
      return object.loseAnnouncement();
    case "be unreachable":
      return object.acceptRequest(false);
    case "wait":
      await vi.advanceTimersByTimeAsync(A_WHILE_MS / 8);
  }
}

describe("the backlog of a follower", () => {
  it("is bounded, and holds nothing rather than a part", () => {
    const backlog = new Backlog();
    let refused = 0;
    let longest = 0;
    for (let seq = 1; seq <= 30_000; seq++) {
      // Every third commit is announced without its lines.
      const lines = seq % 3 === 0 ? null : ["x".repeat(seq % 7 === 0 ? 9_000 : 20)];
      const isAdded = backlog.add({ first: seq, last: seq, lines });
      if (!isAdded) {
        refused += 1;
        expect(backlog.isEmpty).toBe(true);
      }
      longest = Math.max(longest, backlog.length);
    }
    expect(refused).toBeGreaterThan(0);
    expect(longest).toBeGreaterThan(LIMITS.listenerBacklog / 2);
    expect(longest).toBeLessThanOrEqual(LIMITS.listenerBacklog);
  });

  it("is bounded for announcements without lines too", () => {
    const backlog = new Backlog();
    const added = Array.from({ length: 100_000 }, (_, seq) =>
      backlog.add({ first: seq, last: seq, lines: null }),
    );
    expect(added).toContain(false);
  });
});

describe("a follower that starts", () => {
  it("opens no socket if the log has ended", async () => {
    const object = new FakeObject();
    object.commit("a.one", 2);
    object.ended = true;
    const { consumer } = await startFollower(object, 0);
    await drain(object, consumer);
    expect(consumer).toMatchObject({ seqs: [1, 2], replayed: [2], end: { kind: "end" } });
    expect([object.sockets.length, object.reads]).toEqual([0, 1]);
  });

  it("listens if more has to be delivered than fits in one step, because a right may end meanwhile", async () => {
    const object = new FakeObject();
    object.commit("a.one", 3, "x".repeat(120_000));
    object.ended = true;
    await startFollower(object, 0);
    expect(object.sockets).toHaveLength(1);
  });

  it("reads again only if something was committed between reading and listening", async () => {
    const quiet = new FakeObject();
    quiet.commit("a.one", 2);
    const first = await startFollower(quiet, 0);
    await drain(quiet, first.consumer);
    expect(quiet.reads).toBe(1);

    const object = new FakeObject();
    object.commit("a.one", 2);
    const { consumer } = await startFollower(object, 0, [], 1);
    await drain(object, consumer);
    expect(object.reads).toBe(2);
    expect(consumer).toMatchObject({ seqs: [1, 2, 3], replayed: [3] });
    object.commit("a.two", 1);
    await drain(object, consumer);
    expect(consumer.seqs).toEqual([1, 2, 3, 4]);
    expect(object.reads).toBe(2);
  });
});

describe("a follower", () => {
  // Shows N-2.
  it("delivers each matching event once and in order, whatever is late, lost or broken", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 60 }),
        fc.constantFrom([], ["a.*"], ["b.one", "a.two"]),
        fc.nat({ max: 4 }),
        fc.nat({ max: 2 }),
        async (actions, types, before, between) => {
          const object = new FakeObject(types);
          if (before > 0) object.commit("a.one", before);
          const { follower, consumer } = await startFollower(object, 0, types, between);
          let cursor = 0;
          for (const one of actions) {
            await runAction(one, object, consumer);
            await untilIdle();
            if (consumer.end !== null) break;
            cursor = follower.cursor;
          }
          await drain(object, consumer);
          // A lost announcement without one after it: only the next one shows the gap.
          if (object.isAnnouncementLost) object.commit("a.two", 1);
          await drain(object, consumer);
          const matching = object.lines.filter((line) => matchesTypes(line, types)).map(seqInLine);
          if (consumer.end !== null) {
            // It gave up on an object that cannot be reached, and reports where it stopped.
            expect(consumer.end.kind).toBe("lost");
            expect(follower.cursor).toBeGreaterThanOrEqual(cursor);
            expect(consumer.seqs).toEqual(matching.filter((seq) => seq <= follower.cursor));
          } else {
            expect(consumer.seqs).toEqual(matching);
            expect(consumer.replayed).toHaveLength(1);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it("reads again if more arrived than its backlog holds while an older answer was in flight", async () => {
    const object = new FakeObject();
    const { consumer } = await startFollower(object, 0);
    for (let commit = 0; commit < 6; commit++) object.commit("a.one", 1, "x".repeat(100_000));
    for (let commit = 0; commit < 6; commit++) object.deliver();
    await drain(object, consumer);
    expect(consumer.seqs).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("continues where it stopped after its consumer missed far more than its backlog holds", async () => {
    const object = new FakeObject();
    const { consumer } = await startFollower(object, 0);
    consumer.readStep();
    await untilIdle();
    const commits = 60;
    for (let commit = 0; commit < commits; commit++) {
      object.commit("a.one", 1, "x".repeat(SIZES[commit % SIZES.length] ?? 0));
      object.deliver();
    }
    await drain(object, consumer);
    expect(consumer.seqs).toEqual(Array.from({ length: commits }, (_, index) => index + 1));
  });

  it.each(["gone", "revoked", "superseded"] as const)(
    "delivers nothing more after the object closed with %s, not even what it had received",
    async (reason) => {
      const object = new FakeObject();
      const { consumer } = await startFollower(object, 0);
      consumer.readStep();
      await untilIdle();
      object.commit("a.last", 2);
      object.deliver();
      object.hangUp(CLOSE_CODES[reason]);
      await drain(object, consumer);
      expect(consumer.seqs).toEqual([]);
      expect(consumer.end).toEqual({ kind: "end", reason, cursor: 0 });
    },
  );

  it.each(["ended", "expired"] as const)(
    "ends when the object closes with %s, after what was announced before",
    async (reason) => {
      const object = new FakeObject();
      const { consumer } = await startFollower(object, 0);
      consumer.readStep();
      await untilIdle();
      object.commit("a.last", 2);
      object.deliver();
      object.hangUp(CLOSE_CODES[reason]);
      await drain(object, consumer);
      expect(consumer.seqs).toEqual([1, 2]);
      expect(consumer.end).toEqual({ kind: "end", reason, cursor: 2 });
    },
  );

  it("delivers all of an ended session's log before the end, however far it lags", async () => {
    const object = new FakeObject();
    object.commit("a.one", 5);
    const { consumer } = await startFollower(object, 0);
    object.commit("a.two", 5);
    object.ended = true;
    object.commit("a.last", 1);
    object.hangUp(CLOSE_CODES.ended);
    await drain(object, consumer);
    expect(consumer.seqs).toEqual(object.lines.map(seqInLine));
    expect(consumer.end).toEqual({ kind: "end", reason: "ended", cursor: 11 });
  });

  it("keeps no connection to the object after it is closed, not even one that is being opened", async () => {
    const object = new FakeObject();
    const { follower, consumer } = await startFollower(object, 0);
    consumer.readStep();
    await untilIdle();
    consumer.readStep();
    object.hangUp();
    await untilIdle();
    object.acceptRequest();
    follower.close();
    object.deliverAnswer();
    await untilIdle();
    expect(object.sockets).toHaveLength(2);
    expect(object.openSockets).toBe(0);
  });
});

describe("a lost announcement", () => {
  it.each([1, 2])(
    "of %i events is recovered from the log when the next one arrives",
    async (count) => {
      const object = new FakeObject();
      const { consumer } = await startFollower(object, 0);
      await drain(object, consumer);
      object.commit("a.one", count);
      object.loseAnnouncement();
      object.commit("a.two", 1);
      await drain(object, consumer);
      expect(consumer.seqs).toEqual(Array.from({ length: count + 1 }, (_, index) => index + 1));
    },
  );
});
