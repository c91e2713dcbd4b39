import { request } from "node:http";
import { once } from "node:events";
import { expect, it } from "vitest";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();

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
    .poll(async () => {
      const body = { events: [{ type: "agent.note", payload: {} }] };
      await server.client.on(session, "POST", "/events", { token, body });
      return isConnected();
    })
    .toBe(false);
});
