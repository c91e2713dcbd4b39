/**
 * The queue of one agent: which sessions have jobs for it. Sessions take turns, one job each, so that
 * many jobs of one stand before nobody else's; within a session the oldest comes first. It only
 * routes. An offer stays until the session has answered the executor that took it, so none is lost with a Worker; an
 * offer that comes twice, or of a job that is no longer to be had, costs a question and nothing else.
 */
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env";
import { OfferStore, type Offer } from "../storage/offer-store";
import { openStorage } from "./storage-port";

export interface QueuePort {
  /** `attempt` tells an offer that is repeated from one of a job that came back. */
  offer(objectIdHex: string, number: number, attempt: number): Promise<void>;
  take(): Promise<Offer | null>;
  settle(offer: Offer): Promise<void>;
}

/** For so long an offer that was taken is shown to nobody else. */
const TAKEN_MS = 10_000;

export class AgentQueue extends DurableObject<Env> implements QueuePort {
  readonly #offers: OfferStore;
  /** Taken and not settled, until when; forgotten with the instance, which only shows an offer again. */
  readonly #taken = new Map<string, number>();
  /** Whose turn it was last; forgotten with the instance, which only begins the round anew. */
  #served = "";

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#offers = new OfferStore(openStorage(state.storage, { rowsRead: 0, rowsWritten: 0 }));
  }

  async offer(objectIdHex: string, number: number, attempt: number): Promise<void> {
    this.#offers.add(objectIdHex, number, attempt);
    for (const socket of this.ctx.getWebSockets()) tell(socket);
  }

  async take(): Promise<Offer | null> {
    const now = Date.now();
    for (const offer of this.#offers.after(this.#served)) {
      const key = keyOf(offer);
      if ((this.#taken.get(key) ?? 0) > now) continue;
      this.#taken.set(key, now + TAKEN_MS);
      this.#served = offer.objectIdHex;
      return offer;
    }
    return null;
  }

  async settle(offer: Offer): Promise<void> {
    this.#taken.delete(keyOf(offer));
    this.#offers.remove(offer);
  }

  /** An executor that waits, on a hibernating socket that the Worker holds for it. */
  override async fetch(): Promise<Response> {
    const { 0: outer, 1: inner } = new WebSocketPair();
    this.ctx.acceptWebSocket(inner);
    return new Response(null, { status: 101, webSocket: outer });
  }

  override webSocketMessage(): void {}

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }
}

const keyOf = ({ objectIdHex, number, attempt }: Offer): string =>
  `${objectIdHex} ${number} ${attempt}`;

function tell(socket: WebSocket): void {
  try {
    socket.send("offer");
  } catch {
    // It is closing; the others are told.
  }
}
