import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { seedFor, withSeed, type Random } from "../support/live/random";
import { pause } from "../support/live/reader";
import { runReadersAndWriters } from "../support/live/run";
import { workerAccess } from "../support/live/worker-access";
import { client, stubOf } from "../support/worker";
import { scaled } from "../support/scale";

const EVENTS = scaled(300, 1_000);

const FAULTS = ["hibernate", "close", "abort"] as const;

/** An eviction waits for requests in flight, of which there are always some; the next fault does not wait for it. */
const EVICTION_MS = 200;

/** Until the readers are done, one fault after another at random times. */
async function disturb(
  session: { readonly id: string },
  done: AbortSignal,
  random: Random,
  happened: string[],
): Promise<void> {
  while (!done.aborted) {
    await pause(random.between(10, 150));
    const fault = random.pick(FAULTS);
    if (fault === "abort") await abortAllDurableObjects();
    else await evict(session, fault);
    happened.push(fault);
  }
}

/** An object that is not running cannot be evicted. */
const evict = (session: { readonly id: string }, webSockets: "hibernate" | "close") =>
  Promise.race([
    evictDurableObject(stubOf(session), { webSockets }).catch(() => {}),
    pause(EVICTION_MS),
  ]);

describe("readers that drop and resume while the object is evicted and aborted", () => {
  it("each see the log once and in order, over event stream, socket and long-poll", async () => {
    const happened: string[] = [];
    const { head, readers } = await withSeed(seedFor(5), (random) => {
      const own = random.fork();
      return runReadersAndWriters({
        client,
        access: workerAccess,
        random,
        readersEach: 4,
        writers: 2,
        events: EVENTS,
        beforeLast: () => expect.poll(() => new Set(happened)).toEqual(new Set(FAULTS)),
        disturb: (session, done) => disturb(session, done, own, happened),
      });
    });
    expect(head).toBeGreaterThan(EVENTS);
    expect(readers).toHaveLength(12);
    expect(readers.filter(({ fault }) => fault !== null)).toEqual([]);
    expect(new Set(happened)).toEqual(new Set(FAULTS));
  });
});
