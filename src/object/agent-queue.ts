/**
 * Queues of agents: which sessions have jobs for them. Sessions take turns, one job each, so that
 * many jobs of one stand before nobody else's; within a session the oldest comes first. It only
 * routes. An offer stays until the session has answered the executor that took it, so none is lost with a Worker; an
 * offer that comes twice, or of a job that is no longer to be had, costs a question and nothing else.
 *
 * An object keeps one queue, which then has the empty name, or those of many names that nobody lists.
 */
import { QUEUE_HEADER } from "../domain/jobs/queues";
import { OfferStore, type Offer } from "../storage/offer-store";
import { acceptSocket, WebSocketObject, broadcast } from "./stored-object";

export interface AgentQueueRpc {
  /** `attempt` tells an offer that is repeated from one of a job that came back. */
  offer(queue: string, offer: Offer): Promise<void>;
  take(queue: string): Promise<Offer | null>;
  settle(queue: string, offer: Offer): Promise<void>;
}

/** For so long an offer that was taken is shown to nobody else. */
const TAKEN_MS = 10_000;
/** Of so many queues it is known whose turn it was; then that is forgotten. */
const MOST_TURNS = 1_000;

export class AgentQueue extends WebSocketObject implements AgentQueueRpc {
  readonly #offers = new OfferStore(this.sql);
  /** Taken and not settled, until when; forgotten with the instance, which only shows an offer again. */
  readonly #taken = new Map<string, number>();
  /** Whose turn it was last in each queue; forgotten with the instance, which only begins the round anew. */
  readonly #served = new Map<string, string>();

  async offer(queue: string, offer: Offer): Promise<void> {
    this.#offers.add(queue, offer);
    broadcast(this.ctx.getWebSockets(tagOf(queue)), "offer");
  }

  async take(queue: string): Promise<Offer | null> {
    const now = Date.now();
    for (const offer of this.#offers.after(queue, this.#served.get(queue) ?? "")) {
      const key = keyOf(offer);
      if ((this.#taken.get(key) ?? 0) > now) continue;
      this.#taken.set(key, now + TAKEN_MS);
      if (this.#served.size >= MOST_TURNS) this.#served.clear();
      this.#served.set(queue, offer.objectIdHex);
      return offer;
    }
    return null;
  }

  async settle(queue: string, offer: Offer): Promise<void> {
    this.#taken.delete(keyOf(offer));
    this.#offers.remove(queue, offer);
  }

  /** An executor that waits. */
  override async fetch(request: Request): Promise<Response> {
    return acceptSocket(this.ctx, [tagOf(request.headers.get(QUEUE_HEADER) ?? "")]);
  }
}

/** The platform takes no empty tag. */
const tagOf = (queue: string): string => `of ${queue}`;

const keyOf = ({ objectIdHex, number, attempt }: Offer): string =>
  `${objectIdHex} ${number} ${attempt}`;
