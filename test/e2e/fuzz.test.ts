/** A short pass of `npm run fuzz`, always from the same seed. */
import { expect, it } from "vitest";
import { fuzz } from "../support/fuzz/run.ts";
import { faultOf, unhandledIn } from "../support/fuzz/verdict.ts";
import { startServer, temporaryFolder } from "../support/server.ts";

it("input nobody should send is refused in the one format, changes nothing and fails nothing", async () => {
  using data = temporaryFolder();
  const server = await startServer(data.path);

  const outcome = await fuzz({ url: server.url, seed: 9, requests: 1_500 });

  expect(outcome.faults).toEqual([]);
  expect(outcome.requests).toBeGreaterThanOrEqual(1_500);
  expect(outcome.compared).toBeGreaterThan(50);
  expect(outcome.operations.size).toBeGreaterThan(40);
  expect([...outcome.tally.keys()].toSorted()).toEqual([
    "ARCP",
    "HTTP",
    "HTTP bytes",
    "MCP",
    "WebSocket",
    "pages",
  ]);
  const { script } = server;
  await server.stop();
  expect(unhandledIn(script.stdout + script.stderr)).toEqual([]);
});

it.each([
  ["a failure inside", 500, { code: "internal", status: 500 }, "application/problem+json"],
  ["a code nobody knows", 400, { code: "odd", status: 400 }, "application/problem+json"],
  ["another status inside", 400, { code: "gone", status: 410 }, "application/problem+json"],
  ["another format", 400, { code: "gone", status: 400 }, "application/json"],
  [
    "a token",
    400,
    { code: "gone", status: 400, at: `rtok_${"A".repeat(88)}` },
    "application/problem+json",
  ],
])("the fuzzer finds %s", (_, status, body, type) => {
  const received = { status, headers: { "content-type": type }, text: JSON.stringify(body) };
  const codes = new Set(["gone", "internal"]);
  expect(faultOf(received, { codes, kind: "api", method: "GET" })).toEqual(expect.any(String));
});

it("the fuzzer finds what nobody caught in a log", () => {
  expect(unhandledIn('serves on x\n{"message":"unhandled"}\nUncaught (in promise)\n')).toHaveLength(
    2,
  );
  expect(unhandledIn("Baton serves on http://localhost:1\nStopped.\n")).toEqual([]);
});
