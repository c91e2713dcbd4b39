/** Exports of a real server, manipulated in every way there is, judged by both verifiers. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyExport, type VerificationKey } from "../../src/verify/index.ts";
import { cliFor } from "../support/cli.ts";
import { tellStory, type Story } from "../support/evidence-story.ts";
import { seeded } from "../support/seeded.ts";
import { ROOT, sharedServer, temporaryFolder } from "../support/server.ts";

const MANIPULATIONS = 1_000;
const server = sharedServer();
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

let story: Story;
let whole: string;
let other: string;
let keys: readonly VerificationKey[];
const path = (name: string): string => join(folder.path, name);

beforeAll(async () => {
  story = await tellStory(server.client);
  whole = (await story.owner.does("GET", "/export")).text;
  const second = await tellStory(server.client);
  other = (await second.owner.does("GET", "/export")).text;
  ({ keys } = (await server.client.call("GET", "/.well-known/baton-keys.json")).body);
  writeFileSync(path("keys.json"), JSON.stringify({ keys }));
});

const linesOf = (text: string): string[] => text.trimEnd().split("\n");
const joined = (lines: readonly string[]): Buffer => Buffer.from(`${lines.join("\n")}\n`);

/** One way to tamper with an export, chosen by chance. */
function tamper(random: () => number): { readonly what: string; readonly bytes: Buffer } {
  const below = (limit: number): number => Math.floor(random() * limit);
  const lines = linesOf(whole);
  const others = linesOf(other);
  const at = below(lines.length);
  const another = (at + 1 + below(lines.length - 1)) % lines.length;
  const ways: readonly [string, () => Buffer][] = [
    [
      "a bit",
      () => {
        const bytes = Buffer.from(whole);
        const place = below(bytes.length);
        bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << below(8)), place);
        return bytes;
      },
    ],
    ["a dropped line", () => joined(lines.toSpliced(at, 1))],
    ["a doubled line", () => joined(lines.toSpliced(at, 0, lines[at] ?? ""))],
    [
      "swapped lines",
      () => joined(lines.with(at, lines[another] ?? "").with(another, lines[at] ?? "")),
    ],
    ["a line of another session", () => joined(lines.with(at, others[below(others.length)] ?? ""))],
    ["an added line of another session", () => joined(lines.toSpliced(at, 0, others[at] ?? ""))],
    ["a proof of another session", () => joined([...lines.slice(0, -1), others.at(-1) ?? ""])],
    ["an end that is cut off", () => joined(lines.slice(0, 1 + below(lines.length - 1)))],
    [
      "an older key",
      () => joined([...lines.slice(0, -1), (lines.at(-1) ?? "").replace(/"keyId":"/, "$&x")]),
    ],
    ["a space", () => joined(lines.with(at, (lines[at] ?? "").replace(":", ": ")))],
  ];
  const [what, change] = ways[below(ways.length)] ?? ["", () => Buffer.from(whole)];
  return { what: `${what} at line ${at}`, bytes: change() };
}

const python = ["python3", "python"].find(
  (name) => spawnSync(name, ["-c", "import sys; assert sys.version_info >= (3, 9)"]).status === 0,
);

/** The verdicts of the verifier that was written from the docs alone; null without Python here. */
function pythonSays(names: readonly string[]): readonly string[] | null {
  if (python === undefined) return null;
  const script = join(ROOT, "docs/examples/verify.py");
  const files = names.map(path);
  const ran = spawnSync(python, [script, path("keys.json"), ...files], { encoding: "utf8" });
  expect(ran.stderr).toBe("");
  return ran.stdout.trimEnd().split("\n");
}

describe("an exported log", () => {
  it("is whole to both verifiers as it is", async () => {
    writeFileSync(path("whole"), whole);
    expect(await verifyExport([Buffer.from(whole)], keys)).toMatchObject({ whole: true });
    expect(pythonSays(["whole"]) ?? ["whole"]).toEqual(["whole"]);
  });

  // Shows EV-2.
  it("is found wrong by both after each of a thousand manipulations", async () => {
    const random = seeded(20_261_116);
    const names: string[] = [];
    mkdirSync(path("tampered"));
    const passed: string[] = [];
    for (let count = 0; names.length < MANIPULATIONS; count++) {
      const { what, bytes } = tamper(random);
      if (bytes.equals(Buffer.from(whole))) continue;
      const name = `tampered/${count}`;
      writeFileSync(path(name), bytes);
      names.push(name);
      const verdict = await verifyExport([bytes], keys);
      if (verdict.whole || verdict.seq < 1) passed.push(what);
    }
    expect(passed).toEqual([]);
    const second = pythonSays(names) ?? names.map(() => "wrong 1");
    expect(second).toHaveLength(MANIPULATIONS);
    expect(names.filter((_, index) => second[index] === "whole")).toEqual([]);
  });

  // Shows EV-2.
  it("is named at the commit in which a bit was changed, for every commit, by both", async () => {
    const lines = linesOf(whole);
    const firsts: number[] = [];
    const names: string[] = [];
    for (const [at, line] of lines.entries()) {
      if (!line.startsWith('{"commit"')) continue;
      const changed = joined(lines.with(at, line.replace('"at":"2', '"at":"3')));
      const { first } = JSON.parse(line).commit;
      expect(await verifyExport([changed], keys)).toMatchObject({ whole: false, seq: first });
      firsts.push(first);
      names.push(`bit-${first}`);
      writeFileSync(path(`bit-${first}`), changed);
    }
    expect(firsts.length).toBeGreaterThan(8);
    const wrong = firsts.map((first) => `wrong ${first}`);
    expect(pythonSays(names) ?? wrong).toEqual(wrong);
  });
});

describe("baton verify", () => {
  it("ends with 0 for a whole file and says who signed, with 3 for another and names it", async () => {
    const cli = cliFor(server.url, path("home"));
    writeFileSync(path("a.ndjson"), whole);
    const right = await cli.run(["verify", path("a.ndjson"), "--url", server.url]);
    expect([right.code, right.stderr]).toEqual([0, ""]);
    expect(right.stdout).toContain(`of ${story.owner.id}`);
    expect(right.stdout).toContain("signed with the key");
    const unchecked = await cli.run(["verify", path("a.ndjson")]);
    expect([unchecked.code, unchecked.stdout.includes("not checked")]).toEqual([0, true]);
    writeFileSync(path("b.ndjson"), whole.replace("Köln", "Bonn"));
    const wrong = await cli.run(["verify", path("b.ndjson"), "--keys", path("keys.json")]);
    expect([wrong.code, wrong.stdout]).toEqual([3, expect.stringContaining("at event 1:")]);
    const asJson = await cli.run(["verify", path("b.ndjson"), "--json"]);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ whole: false, seq: 1 });
  });

  it("takes receipts, and exports made by the same command line", async () => {
    const cli = cliFor(server.url, path("home"));
    const { body } = await story.owner.does("GET", "/receipt");
    writeFileSync(path("receipt.json"), JSON.stringify(body, null, 2));
    const args = ["--keys", path("keys.json")];
    expect((await cli.run(["verify", path("receipt.json"), ...args])).code).toBe(0);
    expect((await cli.run(["verify", path("receipt.json")])).code).toBe(2);
    await cli.json("create", "--title", "Mine");
    expect((await cli.run(["export", path("mine.ndjson"), "--files"])).code).toBe(0);
    expect((await cli.run(["verify", path("mine.ndjson"), ...args])).code).toBe(0);
  });
});
