/** Access to the Worker inside the test runtime through its fetch handler, for requests and sockets. */
import { exports } from "cloudflare:workers";
import { TestSocket, type AnySocket } from "./test-socket";
import { EventStream } from "./event-stream";
import { Unavailable, type Access } from "./connections";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };
const URL = "http://baton.test";

export interface SessionAccess {
  readonly id: string;
  readonly token: string;
}

export const send = (request: Request): Promise<Response> => worker.default.fetch(request);

/** The response to a handshake, accepted or refused. */
export const handshake = (id: string, headers: Record<string, string>): Promise<Response> =>
  send(
    new Request(`${URL}/sessions/${id}/socket`, { headers: { Upgrade: "websocket", ...headers } }),
  );

async function connect(url: string, token: string): Promise<AnySocket> {
  const headers = { Upgrade: "websocket", Authorization: `Bearer ${token}` };
  const response = await send(new Request(url, { headers })).catch((error: unknown) => {
    throw new Unavailable("no answer", { cause: error });
  });
  const { webSocket } = response;
  if (webSocket === null) throw new Unavailable(`no socket: ${response.status}`);
  webSocket.accept();
  return webSocket;
}

export const workerAccess: Omit<Access, "sessionId" | "token"> = { url: URL, send, connect };

/** A socket that has sent hello and received its welcome. */
export async function openTestSocket(
  { id, token }: SessionAccess,
  hello: object = {},
): Promise<TestSocket> {
  const socket = new TestSocket(await connect(`${URL}/sessions/${id}/socket`, token));
  socket.send({ type: "hello", ...hello });
  return socket;
}

export async function openStream({ id, token }: SessionAccess, query = ""): Promise<EventStream> {
  const headers = { Accept: "text/event-stream", Authorization: `Bearer ${token}` };
  return new EventStream(
    await send(new Request(`${URL}/sessions/${id}/events${query}`, { headers })),
  );
}
