/** Addresses that webhooks must never reach. A listener at each address must see no connection. */
import { createServer, type Server as TcpServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestAgent } from "../support/test-agent.ts";
import { Receiver } from "../support/receiver.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

const data = temporaryFolder();
const listeners: TcpServer[] = [];
let connections = 0;
let port = 0;
let server: Server;
let receiver: Receiver;

/** Counts connections, on every address of this machine. */
async function listen(host: string, requestedPort: number): Promise<number> {
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  return new Promise((resolve) => {
    listener.once("error", () => resolve(0));
    listener.listen(requestedPort, host, () => {
      listeners.push(listener);
      resolve((listener.address() as { port: number }).port);
    });
  });
}

beforeAll(async () => {
  port = await listen("0.0.0.0", 0);
  await listen("::1", port);
  receiver = await Receiver.start();
  server = await startServer(data.path, undefined, {
    WEBHOOK_ALLOW: receiver.host,
    WEBHOOK_DELAYS_MS: "0,50,50",
    WEBHOOK_TIMEOUT_MS: "30000",
  });
});
afterAll(async () => {
  await server.stop();
  await receiver.close();
  for (const listener of listeners) listener.close();
  data[Symbol.dispose]();
});

async function attemptsAt(url: string): Promise<readonly { status?: number; error?: string }[]> {
  const agent = await TestAgent.create(server.client);
  const added = await agent.tryCall("POST", "/endpoints", { url, notices: ["session.submitted"] });
  if (added.status === 400) return [];
  expect(added.status, added.text).toBe(201);
  await agent.call("POST", "/submit", {});
  const path = `/endpoints/${added.body.endpoint.id}/deliveries`;
  const delivery = async () => (await agent.call("GET", path)).body.deliveries[0];
  await expect.poll(async () => (await delivery())?.status).toBe("given_up");
  return (await delivery()).attempts;
}

describe("a webhook", () => {
  it.each([
    "https://127.0.0.1:PORT/",
    "https://[::1]:PORT/",
    "https://[::ffff:127.0.0.1]:PORT/",
    "https://0.0.0.0:PORT/",
    "https://2130706433:PORT/",
    "https://localhost:PORT/",
    "http://127.0.0.1:PORT/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://[fc00::1]/",
    // Shows NO-3.
  ])("never connects to %s", async (address) => {
    const before = connections;

    const attempts = await attemptsAt(address.replace("PORT", String(port)));

    expect(attempts).toEqual([]);
    expect(connections).toBe(before);
  });

  // Shows NO-3.
  it("follows no redirect", async () => {
    const before = connections;
    receiver.behaves = () => ({
      status: 302,
      headers: { Location: `http://127.0.0.1:${port}/inside` },
    });

    const attempts = await attemptsAt(receiver.url("/redirects"));

    expect(attempts.map(({ status }) => status)).toEqual([302, 302, 302]);
    expect(connections).toBe(before);
    expect(receiver.arrived.some(({ path }) => path === "/inside")).toBe(false);
  });

  it("shows only the status of a receiver's answer", async () => {
    receiver.behaves = () => ({ status: 500 });
    const agent = await TestAgent.create(server.client);
    const added = await agent.call("POST", "/endpoints", {
      url: receiver.url("/answers"),
      notices: ["session.submitted"],
    });
    await agent.call("POST", "/submit", {});
    const path = `/endpoints/${added.body.endpoint.id}/deliveries`;
    await expect
      .poll(async () => (await agent.call("GET", path)).body.deliveries[0]?.status)
      .toBe("given_up");

    const { text } = await agent.call("GET", path);

    expect(text).not.toContain("what nobody but the receiver may see");
  });
});
