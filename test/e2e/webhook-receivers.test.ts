/** Receivers that were written from the guide alone, in two languages, against a real server. */
import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestAgent } from "../support/test-agent.ts";
import { freePort, ROOT, startServer, temporaryFolder, type Server } from "../support/server.ts";

const python = ["python3", "python"].find((one) => spawnSync(one, ["--version"]).status === 0);
const RECEIVERS = [
  ["Node", process.execPath, "webhook-receiver.mjs"],
  // As for the verifier in test/e2e/evidence.test.ts: without Python only Node is tested.
  ...(python === undefined ? [] : [["Python", python, "webhook_receiver.py"] as const]),
] as const;

const folder = temporaryFolder();
let server: Server;
let port: number;

beforeAll(async () => {
  port = await freePort();
  server = await startServer(folder.path, undefined, {
    WEBHOOK_ALLOW: `127.0.0.1:${port}`,
    WEBHOOK_DELAYS_MS: "0",
  });
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

async function receiver(program: string, file: string, secrets: readonly string[]) {
  const path = join(ROOT, "examples", file);
  const child = spawn(program, [path, String(port), ...secrets], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await expect.poll(() => output).toContain("listening");
  return {
    lines: () => output.trim().split("\n").slice(1),
    close: async (): Promise<void> => {
      child.kill();
      await ended;
    },
  };
}

const BODY = '{"type":"session.submitted","data":{"sessionId":"ses_1","seq":1}}';

/** As an attacker might post it; the signature is over BODY, whatever is sent. */
async function post(secret: string, { ageSeconds = 0, body = BODY } = {}): Promise<number> {
  const time = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const mac = createHmac("sha256", key).update(`msg_1.${time}.${BODY}`).digest("base64");
  const { status } = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: {
      "webhook-id": "msg_1",
      "webhook-timestamp": time,
      "webhook-signature": `v1,${mac}`,
    },
    body,
  });
  return status;
}

describe.each(RECEIVERS)("the receiver in %s", (_, program, file) => {
  it("accepts signed requests, once, also when they are replayed, and nothing else", async () => {
    const agent = await TestAgent.create(server.client);
    const url = `http://127.0.0.1:${port}/hook`;
    const { body } = await agent.call("POST", "/endpoints", {
      url,
      notices: ["session.awaiting_input", "session.submitted", "session.finalized"],
    });
    const { id } = body.endpoint;
    const at = (await agent.call("GET", "")).body.session.createdAt;
    const first = await receiver(program, file, [body.secret]);
    await agent.call("POST", "/request-input", {});
    await expect.poll(first.lines).toHaveLength(1);
    await agent.call("POST", `/endpoints/${id}/replay`, { since: at });
    const deliveries = async () =>
      (await agent.call("GET", `/endpoints/${id}/deliveries`)).body.deliveries[0].attempts;
    await expect.poll(deliveries).toMatchObject([{ status: 204 }, { status: 204 }]);

    const answers = [
      await post(body.secret),
      await post(body.secret, { ageSeconds: 600 }),
      await post(body.secret, { body: `${BODY} ` }),
      await post(`whsec_${btoa("x".repeat(32))}`),
      (await fetch(url, { method: "POST", body: BODY })).status,
    ];
    const lines = first.lines();

    // After a rotation the old secret is still accepted, and so is the new one alone.
    const { body: rotated } = await agent.call("POST", `/endpoints/${id}/rotate`);
    await agent.call("POST", "/submit", {});
    await expect.poll(() => first.lines().at(-1)).toContain("session.submitted");
    await first.close();
    const second = await receiver(program, file, [rotated.secret]);
    await agent.call("POST", "/finalize", {});
    await expect.poll(second.lines).toHaveLength(1);
    await second.close();

    expect(answers).toEqual([204, 401, 401, 401, 401]);
    expect(lines).toEqual([
      expect.stringMatching(`^session.awaiting_input ${agent.id} \\d+$`),
      "session.submitted ses_1 1",
    ]);
  });
});
