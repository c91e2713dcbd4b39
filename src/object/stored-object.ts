/** What the Durable Objects have in common: their SQLite, and sockets on which others listen. */
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env";
import { openStorage, type Meter } from "./storage-port";

export abstract class StoredObject extends DurableObject<Env> {
  /** Rows read and written since this instance woke. An instance property is not reachable by RPC. */
  readonly meter: Meter = { rowsRead: 0, rowsWritten: 0 };
  protected readonly sql = openStorage(this.ctx.storage, this.meter);
}

/** Listeners only listen; the answer to a close is the platform's own. */
export abstract class WebSocketObject extends StoredObject {
  override webSocketMessage(): void {}

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }
}

/** A hibernating socket that the Worker holds for its client: an idle one lets the object sleep. */
export function acceptSocket(
  state: DurableObjectState,
  tags: string[] = [],
  headers: Record<string, string> = {},
): Response {
  const { 0: outer, 1: inner } = new WebSocketPair();
  state.acceptWebSocket(inner, tags);
  return new Response(null, { status: 101, webSocket: outer, headers });
}

/** One that just broke is told by its close event; the others must not suffer for it. */
export function broadcast(sockets: readonly WebSocket[], message: string): void {
  for (const socket of sockets) {
    try {
      socket.send(message);
    } catch {
      // Its receiver comes back by itself and reads what it missed.
    }
  }
}
