import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { TestAgent } from "../support/test-agent.ts";
import { Receiver } from "../support/receiver.ts";
import { freePort, ROOT, startServer, temporaryFolder } from "../support/server.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

it("a handoff reaches its person by mail, once, although the provider failed at first", async () => {
  const port = await freePort();
  const server = await startServer(folder.path, undefined, {
    WEBHOOK_ALLOW: `127.0.0.1:${port}`,
    WEBHOOK_DELAYS_MS: "0,200,200,200",
  });
  const provider = await Receiver.start();
  provider.behaves = () => ({ status: provider.arrived.length === 0 ? 503 : 200 });
  const agent = await TestAgent.create(server.client, { title: "Water damage" });
  const { body } = await agent.call("POST", "/endpoints", {
    url: `http://127.0.0.1:${port}/mail`,
    notices: ["session.approved"],
  });
  const example = join(ROOT, "examples/mail-by-webhook.mjs");
  const args = [example, String(port), body.secret, provider.url("/emails"), "ada@example.com"];
  const mailer = spawn(process.execPath, args, { env: { ...process.env, MAIL_KEY: "mail-key" } });
  try {
    let output = "";
    mailer.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    await expect.poll(() => output).toContain("listening");

    const forged = await fetch(`http://127.0.0.1:${port}/mail`, { method: "POST", body: "{}" });
    const notify = [body.endpoint.id];
    const handoff = await agent.call("POST", "/handoffs", {
      to: "human",
      scopes: ["fill"],
      notify,
    });
    await expect.poll(() => provider.arrived.length).toBe(2);

    expect(forged.status).toBe(401);
    const [first, second] = provider.arrived;
    expect(second?.body).toEqual({
      from: "Baton <baton@example.com>",
      to: ["ada@example.com"],
      subject: "Water damage: handoff.created",
      text: `Please answer here: ${handoff.body.handoff.url}`,
    });
    expect(second?.headers).toMatchObject({
      authorization: "Bearer mail-key",
      "idempotency-key": first?.headers["idempotency-key"],
    });
    const deliveries = async () =>
      (await agent.call("GET", `/endpoints/${body.endpoint.id}/deliveries`)).body.deliveries;
    await expect
      .poll(deliveries)
      .toMatchObject([{ status: "delivered", attempts: [{ status: 502 }, { status: 204 }] }]);
  } finally {
    mailer.kill();
    await server.stop();
    await provider.close();
  }
});
