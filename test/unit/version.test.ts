import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { VERSION } from "../../src/version.ts";

const read = (path: string): string =>
  readFileSync(join(import.meta.dirname, "../..", path), "utf8");

it("package.json, its lock, the newest entry of the changelog and the code have the same version", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const lock = JSON.parse(read("package-lock.json")) as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  const [, newest] = /^## \[(.+?)\]/m.exec(read("CHANGELOG.md")) ?? [];

  expect(VERSION).toBe(version);
  expect([lock.version, lock.packages[""]?.version]).toEqual([version, version]);
  expect(newest).toBe(version);
});
