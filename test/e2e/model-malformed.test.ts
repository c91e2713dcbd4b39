/** A short pass of the malformed input of `npm run model` on a server without faults, always from the same seed. */
import { expect, it } from "vitest";
import { checkRun } from "../support/model/laws.ts";
import { unhandledIn, type Surface } from "../support/model/laws/malformed.ts";
import { MalformedObserver } from "../support/model/observe/malformed.ts";
import { filesUnder, startServer, temporaryFolder } from "../support/server.ts";

const SEED = 9;

async function send(requests: number, surfaces?: readonly Surface[]) {
  using data = temporaryFolder();
  const observer = new MalformedObserver({
    requests,
    lanes: 8,
    ...(surfaces === undefined ? {} : { surfaces }),
  });
  const server = await startServer(data.path, undefined, observer.vars);
  const { url } = server;
  await observer.start({
    seed: SEED,
    url,
    streamUrl: url,
    dataFolder: data.path,
    outages: [],
    clockSetBack: [],
    stored: () => Promise.resolve({ commits: [], stored: null }),
  });
  await observer.finished();
  await observer.observe();
  await observer.stop();
  const observations = observer.contribute({});
  const counters = filesUnder(data.path).filter((path) => /-misses\/\w+\.sqlite$/.test(path));
  await server.stop();
  const { stdout, stderr } = server.script;
  return {
    violations: checkRun({ sessions: [], observations }),
    unhandled: unhandledIn(stdout + stderr),
    seen: observations.malformed,
    counters,
  };
}

// Shows T-4, M-2, M-9.
it("malformed input is refused in the one format, changes nothing and fails nothing", async () => {
  const { violations, unhandled, seen } = await send(1_500);

  expect(violations).toEqual([]);
  expect(unhandled).toEqual([]);
  expect(seen?.compared).toBeGreaterThan(50);
  expect(seen?.valid.sent).toBeGreaterThan(0);
  expect(seen?.operations.size).toBeGreaterThan(40);
  expect(seen?.tools.size).toBeGreaterThan(20);
  expect([...(seen?.counts.keys() ?? [])].toSorted()).toEqual([
    "ARCP",
    "HTTP",
    "HTTP bytes",
    "MCP",
    "WebSocket",
    "forged headers",
    "pages",
  ]);
});

it("headers that claim to be an edge, a proxy or another caller fail nothing and are not believed", async () => {
  const { violations, unhandled, seen, counters } = await send(600, ["forged headers"]);

  expect(violations).toEqual([]);
  expect(unhandled).toEqual([]);
  const answers = seen?.counts.get("forged headers") ?? new Map<string, number>();
  for (const status of ["200", "403", "404", "415"]) {
    expect(answers.get(status) ?? 0, status).toBeGreaterThan(0);
  }
  expect(counters.length, "only the caller's own address has a counter").toBe(1);
});
