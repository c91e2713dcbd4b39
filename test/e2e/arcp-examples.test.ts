import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ROOT, sharedServer } from "../support/server.ts";

const children: ChildProcess[] = [];
const server = sharedServer();
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
});

function run(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [join(ROOT, "examples", name), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, output }));
  });
  return { ended };
}

it("the example client and executor complete a job through a lost connection, each event once", async () => {
  run("executor.mjs", [server.url, "speller"]);
  const client = run("arcp-client.mjs", [server.url, "speller", "one two three four"], {
    DROP_AFTER: "3",
  });
  const { code, output } = await client.ended;
  expect(code, output).toBe(0);
  const lines = output.trimEnd().split("\n");
  const numbers = lines.map((line) => Number(line.split(" ")[0])).filter(Number.isInteger);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(lines.filter((line) => ["welcome", "line lost", "resumed"].includes(line))).toEqual([
    "welcome",
    "line lost",
    "resumed",
  ]);
  expect(lines.at(-1)).toBe('9 success {"words":4}');
});
