/**
 * Names that resolve to non-public addresses, always or only after they were registered. The server
 * runs with its own hosts file, in a mount namespace; a listener counts connections.
 */
import { writeFileSync } from "node:fs";
import { createServer, type Server as TcpServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestAgent } from "../support/test-agent.ts";
import { Receiver } from "../support/receiver.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

const LOCAL = "127.0.0.1 localhost\n::1 localhost\n";
/** An address of the anycast service AS112: public, and nothing listens at this port. */
const PUBLIC_ADDRESS = "192.31.196.1";

const folder = temporaryFolder();
const hosts = join(folder.path, "hosts");
const listeners: TcpServer[] = [];
let connections = 0;
let port = 0;
let server: Server;
let receiver: Receiver;

const listen = (host: string, requestedPort: number): Promise<number> =>
  new Promise((resolve) => {
    const listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    listener.once("error", () => resolve(0));
    listener.listen(requestedPort, host, () => {
      listeners.push(listener);
      resolve((listener.address() as { port: number }).port);
    });
  });

/** Written in place, because the same file is bound in the server's namespace. */
const names = (...lines: readonly string[]): void =>
  writeFileSync(hosts, `${LOCAL}${lines.join("\n")}\n`);

beforeAll(async () => {
  port = await listen("0.0.0.0", 0);
  await listen("::1", port);
  receiver = await Receiver.start();
  names("127.0.0.1 allowed.example.net");
  server = await startServer(
    join(folder.path, "data"),
    undefined,
    {
      WEBHOOK_ALLOW: `allowed.example.net:${receiver.port}`,
      WEBHOOK_DELAYS_MS: "0,300,300,300",
      WEBHOOK_TIMEOUT_MS: "10000",
    },
    hosts,
  );
});
afterAll(async () => {
  await server.stop();
  await receiver.close();
  for (const listener of listeners) listener.close();
  folder[Symbol.dispose]();
});

async function register(url: string) {
  const agent = await TestAgent.create(server.client);
  const { body } = await agent.call("POST", "/endpoints", { url, notices: ["session.submitted"] });
  await agent.call("POST", "/submit", {});
  const path = `/endpoints/${body.endpoint.id}/deliveries`;
  return async () =>
    (await agent.call("GET", path)).body.deliveries[0] as {
      status: string;
      attempts: { status?: number; error?: string }[];
    };
}

describe("a webhook to a name", () => {
  it("arrives if the operator allows the name, which shows that this test's names are used", async () => {
    const delivery = await register(`http://allowed.example.net:${receiver.port}/allowed`);

    await expect.poll(async () => (await delivery())?.status).toBe("delivered");
    expect(receiver.arrived.map(({ path }) => path)).toEqual(["/allowed"]);
  });

  // Shows NO-3.
  it.each(["127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0"])(
    "that resolves to %s never connects",
    async (address) => {
      names("127.0.0.1 allowed.example.net", `${address} inside.example.net`);
      const before = connections;

      const delivery = await register(`https://inside.example.net:${port}/`);

      await expect.poll(async () => (await delivery())?.status).toBe("given_up");
      const errors = (await delivery()).attempts.map(({ error }) => error);
      expect(errors).toEqual(Array.from({ length: 4 }, () => "unreachable"));
      expect(connections).toBe(before);
    },
  );

  // Shows NO-3.
  it("that changes from a public address to this machine never connects there", async () => {
    names("127.0.0.1 allowed.example.net", `${PUBLIC_ADDRESS} changes.example.net`);
    const before = connections;

    const delivery = await register(`https://changes.example.net:${port}/`);
    names("127.0.0.1 allowed.example.net", "127.0.0.1 changes.example.net");

    await expect.poll(async () => (await delivery())?.status).toBe("given_up");
    expect((await delivery()).attempts.at(-1)?.error).toBe("unreachable");
    expect(connections).toBe(before);
  });
});
