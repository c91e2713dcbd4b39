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

it("an agent that hands off and exits goes on when its webhook comes", async () => {
  const port = await freePort();
  const server = await startServer(join(folder.path, "data"), undefined, {
    WEBHOOK_ALLOW: `127.0.0.1:${port}`,
  });
  const example = join(ROOT, "examples/woken-by-webhook.mjs");
  expect(readFileSync(example, "utf8").split("\n").length).toBeLessThan(60);
  const given = [example, server.url, join(folder.path, "store")];
  const begun = await run(process.execPath, [...given, "begin", `http://127.0.0.1:${port}/hook`]);
  const { id, secret, participantToken } = JSON.parse(begun.stdout);
  const woken = spawn(process.execPath, [...given, "listen", String(port), secret]);
  let said = "";
  woken.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await expect.poll(() => said).toContain("listening");

  const other = new TestAgent(server.client, { id, token: participantToken });
  await other.call("PATCH", "", { fields: { amount: 7 } });
  await other.call("POST", "/submit", {});

  await expect.poll(() => said).toContain("finalized");
  expect(said).toContain('"fields":{"amount":7}');
  woken.kill();
  await server.stop();
});

it("waitFor gives the event, also one that came before, and null when the time is over", async () => {
  const server = await startServer(join(folder.path, "waiting"));
  const session = await Baton.connect(server.url).create({ title: "Wait" });

  const early = session.waitFor("session.awaiting_input", { timeoutMs: 60_000 });
  await session.requestInput({ note: "which one?" });
  const late = await session.waitFor(["session.awaiting_input"], { timeoutMs: 60_000 });
  const none = await session.waitFor("session.approved", { timeoutMs: 300 });

  expect((await early)?.type).toBe("session.awaiting_input");
  expect(late?.seq).toBe((await early)?.seq);
  expect(none).toBeNull();
  await server.stop();
});
