import { createHash } from "node:crypto";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { receive } from "./test/support/worker-receiver.ts";
import { browserScriptsInTests } from "./scripts/browser-scripts.ts";

/** Any agent without a key, and one with the key "the-key-of-keyed". */
const TEST_AGENTS = JSON.stringify([
  { name: "*" },
  {
    name: "keyed",
    versions: ["1.0", "2.0"],
    default: "2.0",
    keyHash: createHash("sha256").update("the-key-of-keyed").digest("hex"),
  },
]);

/** Published keys, for tests only. */
const TEST_KEYS = JSON.stringify([{ id: "test", key: "A".repeat(43) }]);

/** Counters with low limits for tests, in addition to those of wrangler.toml. */
const FEW = Object.fromEntries(
  ["CREATE", "WRONG_TOKEN", "WRONG_CODE", "RESUME", "CHALLENGE"].map((name) => [
    `FEW_${name}`,
    {
      namespace_id: `few-${name}`,
      simple: { limit: name === "WRONG_CODE" ? 12 : 4, period: 60 as const },
    },
  ]),
);

/** Slow tests: `npm run test:all` runs them, `npm test` does not. */
const LONG = [
  "forms-all-appearances",
  "container",
  "crash",
  "demo",
  "deploy-guide",
  "docs-pages",
  "hung-files",
  "model",
  "model-malformed",
  "package",
  "planted-bugs",
  "project",
  "purged-bytes",
  "self-hosting",
  "upload",
].map((name) => `test/e2e/${name}.test.ts`);

/**
 * Tests with long tables, kills, network faults or random input, every example of the docs, and tests with
 * frameworks and older releases: `npm test -- --ci` runs a short pass of them, `npm run test:all` runs
 * them completely, and `npm test` runs none.
 */
const CI = [
  "adapters",
  "claude-hook",
  "cli-run",
  "client-scripts",
  "docs-blocks",
  "evidence",
  "forms",
  "killed-browser",
  "lost-answer",
  "langgraph-interrupts",
  "lease-kill",
  "large-entries",
  "model-owners",
  "page-keeps-input",
  "offline",
  "openapi",
  "page-states",
  "page-invalid-answers",
  "released-data",
  "schema-corpus",
  "sdk-kill",
  "sdk-lossy",
  "sdk-outage",
  "woken-by-webhook",
].map((name) => `test/e2e/${name}.test.ts`);

/** Keeps two cores busy. By default the runner would use one of two. */
const LANES = 3;

/** These wait for servers, browsers and clocks too. */
const WAITING_LANES = 4;

/** Ends tests that hang. It is not a performance limit: a busy machine may be ten times slower. */
const HANGS_MS = 180_000;

const shared = {
  // See test/support/scale.ts.
  provide: { isWhole: process.env["BATON_TESTS"] === "all" },
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  // A polled condition has the timeout of its test.
  expect: { poll: { timeout: HANGS_MS / 2 } },
  maxWorkers: LANES,
};

/**
 * An object that a test aborts while it loads a module leaves the runner's request for that module
 * unanswered. The runner reports it when the file ends, but it is no failure of the tests.
 */
const isQuestionOfAbortedObject = ({ name, message }: { name: string; message: string }): boolean =>
  name === "EnvironmentTeardownError" &&
  /Closing rpc while "(resolve|fetch)" was pending/.test(message);

const isQuick = process.env["BATON_TESTS"] === "quick";

const endToEnd = {
  ...shared,
  maxWorkers: WAITING_LANES,
  isolate: false,
  // Examples and the command line run from the built package.
  globalSetup: ["build-dist", "unpacked-browser", "shared-servers"].map(
    (name) => `test/support/${name}.ts`,
  ),
};

export default defineConfig({
  test: {
    maxWorkers: LANES,
    onUnhandledError: (error) => (isQuestionOfAbortedObject(error) ? false : undefined),
    projects: [
      // Files of one lane share a process and its loaded modules: they leave no state behind, and
      // loading took longer than testing.
      { test: { ...shared, name: "unit", include: ["test/unit/**/*.test.ts"], isolate: false } },
      {
        test: {
          ...shared,
          name: "contract",
          include: ["test/contract/**/*.test.ts"],
          isolate: false,
        },
      },
      {
        plugins: [
          browserScriptsInTests,
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                AGENTS: TEST_AGENTS,
                LOG: "errors",
                PUBLIC_URL: "http://localhost:8787",
                SEALING_KEYS: TEST_KEYS,
                SIGNING_KEYS: TEST_KEYS,
                WEBHOOK_ALLOW: "receiver.test",
              },
              serviceBindings: { PRIVATE_NETWORK: receive },
              ratelimits: FEW,
              analyticsEngineDatasets: { METRICS: { dataset: "baton" } },
            },
          }),
        ],
        test: {
          ...shared,
          name: "workers",
          // The runner ends a file only after every logged line is acknowledged, and holds back a
          // line that an object logs until the file logs another: one such line at the end of a
          // file kept the run from ending (test/workers/late-log-line.test.ts).
          disableConsoleIntercept: true,
          setupFiles: ["test/support/main-once.ts"],
          include: ["test/workers/**/*.test.ts"],
          // One runtime with its storage per lane: every test creates its own sessions.
          isolate: false,
        },
      },
      {
        test: {
          ...endToEnd,
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude: isQuick ? [...LONG, ...CI] : LONG,
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...endToEnd, name: "long", include: LONG, sequence: { groupOrder: 2 } } },
    ],
  },
});
