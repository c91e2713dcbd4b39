/**
 * Queues of agents: which sessions have jobs for them. Sessions take turns, one job each, so that
 * many jobs of one session do not delay those of others. Within a session the oldest job comes
 * first. The queue only routes. An offer stays until the session has answered the executor that
 * took it, so none is lost with a Worker. A repeated offer, or one of a job that can no longer be
 * claimed, costs one call and nothing else.
 *
 * An object stores one queue, which then has the empty name, or the queues of many agents that no
 * setting lists.
 */
import { QUEUE_HEADER } from "../domain/jobs/queues";
import { OfferStore, type Offer } from "../storage/offer-store";
import { acceptSocket, WebSocketObject, broadcast } from "./stored-object";

export interface AgentQueueRpc {
  /** `attempt` distinguishes a repeated offer from one of a job that came back. */
  offer(queue: string, offer: Offer): Promise<void>;
  take(queue: string): Promise<Offer | null>;
  settle(queue: string, offer: Offer): Promise<void>;
}

/** How long a taken offer is hidden from other executors. */
const HOLD_MS = 10_000;
/** Number of queues whose last turn is remembered; beyond it all are forgotten. */
const MAX_TURNS = 1_000;

export class AgentQueue extends WebSocketObject implements AgentQueueRpc {
  readonly #offers = new OfferStore(this.sql);
  /**
   * Taken and not settled, with the end of the hold. Lost with the instance, which only shows an
   * offer again.
   */
  readonly #heldUntil = new Map<string, number>();
  /**
   * The session that had the last turn in each queue. Lost with the instance, which only restarts
   * the round.
   */
  readonly #lastServed = new Map<string, string>();

  async offer(queue: string, offer: Offer): Promise<void> {
    this.#offers.add(queue, offer);
    broadcast(this.ctx.getWebSockets(tagOf(queue)), "offer");
  }

  async take(queue: string): Promise<Offer | null> {
    const now = Date.now();
    for (const offer of this.#offers.after(queue, this.#lastServed.get(queue) ?? "")) {
      const key = keyOf(offer);
      if ((this.#heldUntil.get(key) ?? 0) > now) continue;
      this.#heldUntil.set(key, now + HOLD_MS);
      if (this.#lastServed.size >= MAX_TURNS) this.#lastServed.clear();
      this.#lastServed.set(queue, offer.objectIdHex);
      return offer;
    }
    return null;
  }

  async settle(queue: string, offer: Offer): Promise<void> {
    this.#heldUntil.delete(keyOf(offer));
    this.#offers.remove(queue, offer);
  }

  /** The socket of a waiting executor. */
  override async fetch(request: Request): Promise<Response> {
    return acceptSocket(this.ctx, [tagOf(request.headers.get(QUEUE_HEADER) ?? "")]);
  }
}

/** The platform does not accept an empty tag. */
const tagOf = (queue: string): string => `of ${queue}`;

const keyOf = ({ objectIdHex, number, attempt }: Offer): string =>
  `${objectIdHex} ${number} ${attempt}`;
