/** Base classes of the Durable Objects: their SQLite, and sockets on which clients listen. */
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env";
import { openStorage, type Meter } from "./storage-port";

export abstract class StoredObject extends DurableObject<Env> {
  /** Rows read and written since this instance woke. An instance property is not reachable by RPC. */
  readonly meter: Meter = { rowsRead: 0, rowsWritten: 0 };
  protected readonly sql = openStorage(this.ctx.storage, this.meter);
}

/** Listeners send nothing. A close is answered with a close. */
export abstract class WebSocketObject extends StoredObject {
  override webSocketMessage(): void {}

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }
}

/**
 * A hibernating socket that the Worker holds for its client: an idle one lets the object hibernate.
 */
export function acceptSocket(
  state: DurableObjectState,
  tags: string[] = [],
  headers: Record<string, string> = {},
): Response {
  const { 0: outer, 1: inner } = new WebSocketPair();
  state.acceptWebSocket(inner, tags);
  return new Response(null, { status: 101, webSocket: outer, headers });
}

/** A broken socket gets its close event; the others must still get the message. */
export function broadcast(sockets: readonly WebSocket[], message: string): void {
  for (const socket of sockets) {
    try {
      socket.send(message);
    } catch {
      // Its receiver reconnects and reads what it missed.
    }
  }
}
