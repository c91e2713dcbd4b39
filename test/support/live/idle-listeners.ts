/** Many listeners that receive nothing for a long time. */
import type { Client } from "../client.ts";
import { TestSocket } from "./test-socket.ts";
import { EventStream } from "./event-stream.ts";
import type { Access } from "./connections.ts";

export interface IdleListener {
  /** The type of the next event. */
  next(): Promise<string | undefined>;
  leave(): void | Promise<void>;
}

/** Opens half of them as event streams and half as sockets, all past their replay. */
export function openIdleListeners(
  access: Omit<Access, "sessionId" | "token">,
  session: { readonly id: string; readonly token: string },
  count: number,
): Promise<readonly IdleListener[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      index % 2 === 0 ? listenByStream(access, session) : listenBySocket(access, session),
    ),
  );
}

type Session = Parameters<Client["on"]>[0] & { readonly token: string };
type ListenerAccess = Omit<Access, "sessionId" | "token">;

async function listenByStream(
  { url, send }: ListenerAccess,
  { id, token }: Session,
): Promise<IdleListener> {
  const request = new Request(`${url}/sessions/${id}/events`, {
    headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream" },
  });
  const stream = new EventStream(await send(request));
  const first = await stream.next();
  if (first?.event !== "replay.done") throw new Error(`not idle: ${first?.event}`);
  return { next: async () => (await stream.next())?.event, leave: () => stream.cancel() };
}

async function listenBySocket(
  { url, connect }: ListenerAccess,
  { id, token }: Session,
): Promise<IdleListener> {
  const socket = new TestSocket(await connect(`${url}/sessions/${id}/socket`, token));
  socket.send({ type: "hello" });
  await socket.receive();
  const first = await socket.receive();
  if (first?.type !== "replay.done") throw new Error(`not idle: ${JSON.stringify(first)}`);
  return { next: async () => (await socket.receive())?.event?.type, leave: () => socket.close() };
}
