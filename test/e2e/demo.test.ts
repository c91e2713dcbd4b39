import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plainOf, type Written } from "../../scripts/demo/cast.ts";
import { ROOT, Script } from "../support/server.ts";

/** The points of the scenario, in the order in which they must appear. */
const SCENARIO = [
  /serves on http:\/\/localhost:\d+/,
  /1 {2}An agent works, and is killed/,
  /starts as process (\d+)/,
  /begins ses_/,
  /reads Train to Lyon .*84\.00 €/,
  /kill -9 \d+, in the middle of saving/,
  /2 {2}The same program, started again/,
  /starts as process (\d+) and presents the token/,
  /resumed: 3 receipts are in/,
  /reads Lunch with a client/,
  /3 {2}A rate limit/,
  /RateLimitError: 429/,
  /wait \d[\d.]* s, then go on/,
  /goes on by itself, attempt 2/,
  /reads Train back/,
  /4 {2}A person decides/,
  /█▀▀▀▀▀▀▀█/,
  /opens it in a browser/,
  /presses Approve/,
  /hears it live: approved by Grace/,
  /leaves the session finalized/,
  /5 {2}The log of it all/,
  /● agent {4}resumes with its token/,
  /● Grace {4}approves/,
  /◉ agent {4}finalizes/,
  /nothing lost, nothing done twice/,
];

/** Each point that is found after the one before it; the first missing one ends the list. */
function findPoints(text: string): readonly string[] {
  const points: string[] = [];
  let from = 0;
  for (const point of SCENARIO) {
    const match = point.exec(text.slice(from));
    if (match === null) break;
    points.push(point.source);
    from += match.index + match[0].length;
  }
  return points;
}

const read = (name: string): string => readFileSync(join(ROOT, "docs", name), "utf8");

describe("npm run demo", () => {
  it("shows its whole scenario in order, every receipt once", async () => {
    const demo = new Script("demo.mjs", ["--fast"], { COLUMNS: "80" });

    expect(await demo.ended, demo.stderr).toEqual({ code: 0, signal: null });

    expect(findPoints(demo.stdout)).toEqual(SCENARIO.map(({ source }) => source));
    const [first, second] = [...demo.stdout.matchAll(/starts as process (\d+)/g)];
    expect(first?.[1]).not.toBe(second?.[1]);
    const timeline = demo.stdout.split("The log of it all")[1] ?? "";
    const receipts = [...timeline.matchAll(/reads (.+?), \d/g)].map(([, what]) => what);
    expect(receipts).toHaveLength(6);
    expect(new Set(receipts).size).toBe(6);
    expect(demo.stdout).not.toContain("\u001b[");
    expect(demo.stdout).not.toMatch(/[rj]tok_/);
    expect(Math.max(...demo.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(demo.stderr).toBe("");
  });
});

describe("the recorded demo", () => {
  it("shows the same scenario, in under two minutes", () => {
    const [, ...lines] = read("demo/demo.cast")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as [number, string, string]);
    const written: readonly Written[] = lines.map(([at, , text]) => ({
      at,
      text: text.replaceAll("\r\n", "\n"),
    }));
    expect(plainOf(written)).toBe(read("demo/transcript.txt"));
    expect(findPoints(read("demo/transcript.txt"))).toEqual(SCENARIO.map(({ source }) => source));
    expect(written.at(-1)?.at).toBeLessThan(120);
  });

  it("shows no token and no code, and is a still picture for readers who prefer that", () => {
    for (const name of [
      "demo/demo.cast",
      "demo/transcript.txt",
      "pictures/demo.svg",
      "pictures/demo-page.svg",
    ]) {
      expect(read(name)).not.toMatch(/[rj]tok_|\/h\/[0-9A-Z]{4}-/);
    }
    expect(read("pictures/demo.svg")).toContain("prefers-reduced-motion:reduce");
    expect(read("pictures/demo.svg")).not.toMatch(/<script|href=/);
  });
});
