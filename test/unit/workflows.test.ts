import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const commandsOf = (workflow: string): readonly string[] => {
  const path = join(import.meta.dirname, "../../.github/workflows", workflow);
  return [...readFileSync(path, "utf8").matchAll(/^ +- run: (.+)$/gm)].map(([, run = ""]) => run);
};

describe("the workflows", () => {
  it("run every test before a release is published", () => {
    const commands = commandsOf("publish.yml");
    expect(commands.slice(0, 2)).toEqual(["npm ci", "npm run test:all"]);
    expect(commands[2]).toMatch(/^npm publish /);
  });

  it("run the README's test command on every pull request", () => {
    const path = join(import.meta.dirname, "../../.github/workflows/test.yml");
    expect(readFileSync(path, "utf8")).toMatch(/^ {2}pull_request:$/m);
    expect(commandsOf("test.yml")).toEqual(["npm ci", "npm test"]);
  });
});
