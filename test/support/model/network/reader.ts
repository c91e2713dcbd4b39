/** Follows a session's log over one transport, through every cut and restart. */
import {
  openerOf,
  Unavailable,
  type Connection,
  type SeenEvent,
  type Transport,
} from "../../live/connections.ts";
import { nodeAccess } from "../../live/node-socket.ts";
import type { Random } from "../../live/random.ts";
import type { LoggedEvent, Stream } from "../history.ts";
import { sleep } from "../sleep.ts";

export class Reader {
  readonly transport: Transport;
  readonly events: LoggedEvent[] = [];
  readonly done: Promise<void>;
  connections = 0;
  /** Set if it was turned away for good. */
  refusal: string | null = null;
  #target = Number.POSITIVE_INFINITY;
  #connection: Connection | null = null;

  constructor(
    transport: Transport,
    url: string,
    session: { readonly id: string; readonly token: string },
    random: Random,
  ) {
    this.transport = transport;
    const access = { ...nodeAccess(url), sessionId: session.id, token: session.token };
    this.done = this.#follow(openerOf(transport, access, random), random);
  }

  stream(): Stream {
    const { transport: id, events, refusal, connections } = this;
    return { id, after: 0, events, refusal, connections };
  }

  get last(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  /** It may stop once it has seen this much. */
  stopAt(seq: number): void {
    this.#target = seq;
    if (this.last >= seq) this.#connection?.drop();
  }

  async #follow(open: ReturnType<typeof openerOf>, random: Random): Promise<void> {
    while (this.last < this.#target) {
      try {
        this.#connection = await open(this.last);
        this.connections += 1;
        const timer = setTimeout(() => this.#connection?.drop(), random.between(50, 6_000));
        try {
          await this.#read(this.#connection);
        } finally {
          clearTimeout(timer);
          this.#connection.drop();
        }
      } catch (error) {
        if (!(error instanceof Unavailable)) {
          this.refusal = String(error);
          return;
        }
      }
      await sleep(random.between(5, 80));
    }
  }

  async #read(connection: Connection): Promise<void> {
    for (;;) {
      const events = await connection.next();
      if (events === null) return;
      this.events.push(...(events as readonly SeenEvent[] as unknown as readonly LoggedEvent[]));
      if (this.last >= this.#target) return;
    }
  }
}
