import { createHash } from "node:crypto";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** Any name without a key, and one whose key is "the-key-of-keyed". */
const TEST_AGENTS = JSON.stringify([
  { name: "*" },
  {
    name: "keyed",
    versions: ["1.0", "2.0"],
    default: "2.0",
    keyHash: createHash("sha256").update("the-key-of-keyed").digest("hex"),
  },
]);

/** Counters that a test reaches with a few requests, beside those of wrangler.toml. */
const FEW = Object.fromEntries(
  ["CREATE", "WRONG_TOKEN", "WRONG_CODE", "RESUME"].map((name) => [
    `FEW_${name}`,
    {
      namespace_id: `few-${name}`,
      simple: { limit: name === "WRONG_CODE" ? 12 : 4, period: 60 as const },
    },
  ]),
);

export default defineConfig({
  test: {
    // Left to itself the runner would use one of two cores.
    maxWorkers: 2,
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      { test: { name: "contract", include: ["test/contract/**/*.test.ts"] } },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: { AGENTS: TEST_AGENTS, LOG: "errors" },
              ratelimits: FEW,
              analyticsEngineDatasets: { METRICS: { dataset: "baton" } },
            },
          }),
        ],
        test: {
          name: "workers",
          include: ["test/workers/**/*.test.ts"],
          testTimeout: 30_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          // Examples and the command line run as they would be installed.
          globalSetup: ["test/support/build-dist.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each file starts servers of its own; two at a time is what two cores carry.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
