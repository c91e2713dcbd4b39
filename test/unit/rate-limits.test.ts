import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LIMIT_BINDINGS, rateLimitsOf, RATE_LIMITS } from "../../src/gateway/rate-limits.ts";

const ROOT = join(import.meta.dirname, "../..");

it("wrangler.toml binds a counter for every limit, with the number that answers state", () => {
  const toml = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  const bound = [
    ...toml.matchAll(
      /\[\[ratelimits\]\]\nname = "(\w+)"\nnamespace_id = "(\d+)"\nsimple = \{ limit = (\d+), period = (\d+) \}/g,
    ),
  ];
  expect(
    Object.fromEntries(
      bound.map(([, name, , limit, period]) => [
        name,
        { limit: Number(limit), period: Number(period) },
      ]),
    ),
  ).toEqual(
    Object.fromEntries(
      Object.entries(RATE_LIMITS).map(([name, quota]) => [
        LIMIT_BINDINGS[name as keyof typeof LIMIT_BINDINGS],
        quota,
      ]),
    ),
  );
  expect(new Set(bound.map(([, , id]) => id)).size).toBe(bound.length);
});

it("docs/abuse.md lists every limit with its number", () => {
  const page = readFileSync(join(ROOT, "docs/abuse.md"), "utf8");
  const listed = [...page.matchAll(/^\| `(\w+)` *\| *(\d+) in (\d+) s *\| `(\w+)`/gm)];
  expect(
    listed.map(([, name, limit, period, binding]) => [
      name,
      Number(limit),
      Number(period),
      binding,
    ]),
  ).toEqual(
    Object.entries(RATE_LIMITS).map(([name, { limit, period }]) => [
      name,
      limit,
      period,
      LIMIT_BINDINGS[name as keyof typeof LIMIT_BINDINGS],
    ]),
  );
});

it("a deployment's own numbers override the defaults", () => {
  expect(rateLimitsOf(undefined)).toEqual(RATE_LIMITS);
  expect(rateLimitsOf("")).toEqual(RATE_LIMITS);
  expect(rateLimitsOf('{"create": {"limit": 3}}').create).toEqual({ limit: 3, period: 60 });
  expect(rateLimitsOf({ resume: { period: 10 } }).resume).toEqual({ limit: 60, period: 10 });
});
