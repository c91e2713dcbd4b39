import { request } from "node:http";
import { once } from "node:events";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { unhandledIn } from "../support/model/laws/malformed.ts";
import { sharedServer, startServer, temporaryFolder } from "../support/server.ts";

const server = sharedServer();

it("a client that is gone stops counting as connected with the next write to it", async () => {
  const session = await server.client.create();
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

it("a client that vanishes without closing leaves nothing in the log", async () => {
  using data = temporaryFolder();
  const own = await startServer(data.path);
  const { id, token } = await own.client.create();
  const open = async (path: string, protocol: string, hello: object): Promise<void> => {
    const socket = new WebSocket(own.url.replace("http", "ws") + path, protocol);
    await once(socket, "open");
    socket.send(JSON.stringify(hello));
    await once(socket, "message");
    socket.terminate();
  };

  await open(`/sessions/${id}/socket`, "baton.v1", { type: "hello", token, after: 0 });
  await open("/arcp", "arcp", { arcp: "1.1", id: "1", type: "session.ping", payload: {} });
  await expect
    .poll(async () => (await own.client.on({ id }, "GET", "", { token })).body.session)
    .toMatchObject({ participants: [{ connected: false }] });

  await own.stop();
  expect(unhandledIn(own.script.stdout + own.script.stderr)).toEqual([]);
});
