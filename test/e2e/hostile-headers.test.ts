/** A short pass of `npm run fuzz:headers`, always from the same seed. */
import { expect, it } from "vitest";
import { HOSTILE_SETTINGS, sendHostileHeaders } from "../support/hostile-headers.ts";
import { scaled } from "../support/scale.ts";
import { filesUnder, startServer, temporaryFolder } from "../support/server.ts";

const REQUESTS = scaled(600, 6_000);

it("headers that claim to come from an edge, a proxy or another caller cause no failure and are not trusted", async () => {
  using data = temporaryFolder();
  const server = await startServer(data.path, undefined, HOSTILE_SETTINGS);
  const missesOf = () => filesUnder(data.path).filter((path) => path.includes("-misses/"));
  const before = missesOf().length;

  const { faults, statuses } = await sendHostileHeaders({
    url: server.url,
    seed: 17,
    requests: REQUESTS,
  });

  expect(faults.slice(0, 5)).toEqual([]);
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
  for (const status of [200, 403, 404, 415]) expect(statuses.get(status) ?? 0).toBeGreaterThan(0);
  expect(missesOf().length).toBe(before);
  expect((await server.client.call("GET", "/healthz")).status).toBe(200);
  await server.stop();
});
