/**
 * Followers survive a server that is gone for longer than the retries of a request. The retry
 * delays are short, so that a second has more than a hundred attempts; test/unit/client tests
 * hours.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { Baton, TransportError } from "../../src/client/index.ts";
import { startServer, temporaryFolder } from "../support/server.ts";

const RETRY = { baseMs: 2, maxMs: 8, attempts: 3, unreachableMs: 10 };
const OUTAGE_MS = 1_000;

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

it("events and waits continue at their position when a killed server is back", async () => {
  const first = await startServer(folder.path);
  const baton = Baton.connect(first.url, { retry: RETRY });
  const session = await baton.create();
  const { head: after } = await session.append({ type: "work.step", payload: { n: 1 } });

  const followed = (["sse", "websocket"] as const).map(async (transport) => {
    const steps: unknown[] = [];
    for await (const { payload } of session.events({ after: after - 1, transport })) {
      if (steps.push((payload as { n?: number }).n) === 2) break;
    }
    return steps;
  });
  const waiting = session.waitFor("work.step", { after });
  const brief = session.waitFor("work.step", { after, outageMs: 50 }).catch((error) => error);

  await first.script.kill();
  await sleep(OUTAGE_MS);
  await expect(session.get()).rejects.toThrow(TransportError);
  expect(await brief).toBeInstanceOf(TransportError);
  const second = await startServer(folder.path, Number(new URL(first.url).port));
  await session.append({ type: "work.step", payload: { n: 2 } });

  expect(await Promise.all(followed)).toEqual([
    [1, 2],
    [1, 2],
  ]);
  expect((await waiting)?.payload).toEqual({ n: 2 });
  await second.stop();
});
