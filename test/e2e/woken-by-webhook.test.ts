import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { Baton } from "../../src/client/index.ts";
import { TestAgent } from "../support/test-agent.ts";
import { freePort, ROOT, startServer, temporaryFolder } from "../support/server.ts";

const run = promisify(execFile);
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

it("an agent that hands off and exits continues when its webhook arrives", async () => {
  const port = await freePort();
  const server = await startServer(join(folder.path, "data"), undefined, {
    WEBHOOK_ALLOW: `127.0.0.1:${port}`,
  });
  const example = join(ROOT, "examples/woken-by-webhook.mjs");
  expect(readFileSync(example, "utf8").split("\n").length).toBeLessThan(60);
  const args = [example, server.url, join(folder.path, "store")];
  const started = await run(process.execPath, [...args, "begin", `http://127.0.0.1:${port}/hook`]);
  const { id, secret, participantToken } = JSON.parse(started.stdout);
  const woken = spawn(process.execPath, [...args, "listen", String(port), secret]);
  let output = "";
  woken.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await expect.poll(() => output).toContain("listening");

  const other = new TestAgent(server.client, { id, token: participantToken });
  await other.call("PATCH", "", { fields: { amount: 7 } });
  await other.call("POST", "/submit", {});

  await expect.poll(() => output).toContain("finalized");
  expect(output).toContain('"fields":{"amount":7}');
  woken.kill();
  await server.stop();
});

it("waitFor returns the event, also an earlier one, and null after the timeout", async () => {
  const server = await startServer(join(folder.path, "waiting"));
  const session = await Baton.connect(server.url).create({ title: "Wait" });

  const early = session.waitFor("session.awaiting_input", { timeoutMs: 60_000 });
  await session.requestInput({ note: "which one?" });
  const timedOut = await session.waitFor(["session.awaiting_input"], { timeoutMs: 60_000 });
  const none = await session.waitFor("session.approved", { timeoutMs: 300 });

  expect((await early)?.type).toBe("session.awaiting_input");
  expect(timedOut?.seq).toBe((await early)?.seq);
  expect(none).toBeNull();
  await server.stop();
});
