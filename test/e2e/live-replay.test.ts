import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultIn } from "../support/live/check.ts";
import { nodeAccess } from "../support/live/node-socket.ts";
import { seedFor, withSeed } from "../support/live/random.ts";
import { pause } from "../support/live/reader.ts";
import { runReadersAndWriters, type Outcome } from "../support/live/run.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";
import { scaled } from "../support/scale.ts";

const data = temporaryFolder();
let server: Server;
beforeAll(async () => {
  server = await startServer(data.path);
});
afterAll(async () => {
  await server.stop();
  data[Symbol.dispose]();
});

const EVENTS = scaled(600, 1_500);
/** So many that a kill happens among them, also on an idle machine. */
const KILLED_EVENTS = 1_500;

function expectWhole({ head, readers }: Outcome, readersEach: number, events: number): void {
  expect(head).toBeGreaterThan(events);
  expect(readers).toHaveLength(3 * readersEach);
  expect(readers.filter(({ fault }) => fault !== null)).toEqual([]);
  // Each of them was disconnected and came back.
  expect(Math.min(...readers.map(({ connections }) => connections))).toBeGreaterThan(1);
}

describe("readers that connect, drop and resume at random while others append", () => {
  it("each receive the log once and in order, over event stream, socket and long-poll", async () => {
    const outcome = await withSeed(seedFor(3), (random) =>
      runReadersAndWriters({
        client: server.client,
        access: nodeAccess(server.url),
        random,
        readersEach: 5,
        writers: 3,
        events: EVENTS,
      }),
    );
    expectWhole(outcome, 5, EVENTS);
  });

  it("receive it once and in order when the runtime is killed with -9 and restarted on its data", async () => {
    const pids = [server.runtimePid()];
    let killedAmid = 0;
    const outcome = await withSeed(seedFor(4), (random) =>
      runReadersAndWriters({
        client: server.client,
        access: nodeAccess(server.url),
        random,
        readersEach: 4,
        writers: 3,
        events: KILLED_EVENTS,
        async disturb(_, done) {
          for (let kill = 0; kill < 2 && !done.aborted; kill++) {
            await pause(random.between(50, 300));
            if (!done.aborted) killedAmid += 1;
            pids.push(await server.killRuntime());
          }
        },
      }),
    );
    expect(killedAmid).toBeGreaterThan(0);
    expect(new Set(pids).size).toBe(pids.length);
    expectWhole(outcome, 4, KILLED_EVENTS);
  });
});

const event = (seq: number, id = `e${seq}`) => ({ seq, type: "test.e", payload: { id } });

describe("the check of a reader's log", () => {
  const expected = new Map([3, 4, 5].map((seq) => [seq, `e${seq}`]));

  it.each([
    ["a gap", [1, 2, 3, 5]],
    ["a double", [1, 2, 3, 3, 4, 5]],
    ["a swap", [1, 2, 4, 3, 5]],
    ["an early end", [1, 2, 3, 4]],
    ["a late beginning", [2, 3, 4, 5]],
    ["too much", [1, 2, 3, 4, 5, 6]],
  ])("finds %s", (_, seqs) => {
    expect(
      faultIn(
        seqs.map((seq) => event(seq)),
        expected,
      ),
    ).not.toBeNull();
  });

  it("finds an event at another event's position, and no fault in a complete log", () => {
    const whole = [1, 2, 3, 4, 5].map((seq) => event(seq));
    expect(faultIn(whole, expected)).toBeNull();
    expect(faultIn(whole.with(3, event(4, "e3")), expected)).not.toBeNull();
  });
});
