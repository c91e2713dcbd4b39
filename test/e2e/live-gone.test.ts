import { request } from "node:http";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

const data = temporaryFolder();
let server: Server;
beforeAll(async () => {
  server = await startServer(data.path);
});
afterAll(async () => {
  await server.stop();
  data[Symbol.dispose]();
});

it("a client that is gone no longer counts as connected once something is written to it", async () => {
  const session = await server.client.begin();
  const { token } = session;
  const outgoing = request(`${server.url}/sessions/${session.id}/events`, {
    headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream" },
  });
  outgoing.end();
  await once(outgoing, "response");
  const isConnected = async (): Promise<boolean> => {
    const { body } = await server.client.on(session, "GET", "", { token });
    return body.session.participants[0].connected;
  };
  await expect.poll(isConnected).toBe(true);
  outgoing.destroy();
  await expect
    .poll(
      async () => {
        const body = { events: [{ type: "agent.note", payload: {} }] };
        await server.client.on(session, "POST", "/events", { token, body });
        return isConnected();
      },
      { timeout: 20_000 },
    )
    .toBe(false);
});
