/**
 * A fake session object for a follower, without the platform. Every message between the two is in
 * flight until the test delivers it, so that any order of announcements, answers and losses is possible.
 */
import { matchesTypes } from "../../../src/domain/log/event-line";
import { encodeAnnouncement } from "../../../src/domain/log/listener-protocol";
import type { Feed, LiveSocket } from "../../../src/gateway/feed";
import type { GatewayReply } from "../../../src/gateway/gateway";
import type { EventPage } from "../../../src/object/messages";

const UNREACHABLE = {
  ok: false,
  failure: { code: "overloaded", retryAfterMs: 0 },
} as const satisfies GatewayReply<never>;

/** Small, so that a replay needs several pages. */
const PAGE_EVENTS = 3;

class FakeSocket extends EventTarget {
  isOpen = true;
  /** Sent by the object and not yet received. */
  readonly inFlight: string[] = [];

  close(): void {
    this.isOpen = false;
  }

  deliver(): void {
    const data = this.inFlight.shift();
    if (this.isOpen && data !== undefined) {
      this.dispatchEvent(Object.assign(new Event("message"), { data }));
    }
  }

  hangUp(code: number): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }
}

interface PendingRequest {
  /** The object processes the request now. Calling the result delivers its answer. */
  readonly accept: (isReachable: boolean) => () => void;
  answer: (() => void) | null;
}

export class FakeObject implements Feed {
  readonly lines: string[] = [];
  readonly sockets: FakeSocket[] = [];
  ended = false;
  reads = 0;
  isAnnouncementLost = false;
  #pending: PendingRequest[] = [];
  readonly #types: readonly string[];

  constructor(types: readonly string[] = []) {
    this.#types = types;
  }

  get head(): number {
    return this.lines.length;
  }

  commit(type: string, count: number, filling = ""): void {
    const first = this.head + 1;
    for (let index = 0; index < count; index++) {
      this.lines.push(JSON.stringify({ seq: this.head + 1, type, payload: { filling } }));
    }
    const announcement = encodeAnnouncement(
      first,
      this.head,
      this.lines.slice(first - 1).join("\n"),
    );
    for (const socket of this.sockets) if (socket.isOpen) socket.inFlight.push(announcement);
  }

  read(after: number | null): Promise<GatewayReply<EventPage>> {
    this.reads += 1;
    return this.#request((isReachable) =>
      isReachable ? { ok: true, value: this.#page(after ?? 0) } : UNREACHABLE,
    );
  }

  listen(): Promise<GatewayReply<LiveSocket>> {
    return this.#request((isReachable) => {
      if (!isReachable) return UNREACHABLE;
      const socket = new FakeSocket();
      this.sockets.push(socket);
      return { ok: true, value: { socket: socket as unknown as WebSocket, head: this.head } };
    });
  }

  /** The oldest request in flight reaches the object. */
  acceptRequest(isReachable = true): void {
    const request = this.#pending.find(({ answer }) => answer === null);
    if (request !== undefined) request.answer = request.accept(isReachable);
  }

  /** The oldest answer reaches the follower. */
  deliverAnswer(): void {
    const request = this.#pending.find(({ answer }) => answer !== null);
    if (request === undefined) return;
    this.#pending = this.#pending.filter((one) => one !== request);
    request.answer?.();
  }

  deliver(): void {
    for (const socket of this.sockets) socket.deliver();
  }

  /** Everything sent and not yet received is lost with the connection. */
  hangUp(code = 1006): void {
    for (const socket of this.sockets) socket.hangUp(code);
  }

  loseAnnouncement(): void {
    for (const socket of this.sockets) {
      if (socket.isOpen && socket.inFlight.shift() !== undefined) this.isAnnouncementLost = true;
    }
  }

  get openSockets(): number {
    return this.sockets.filter(({ isOpen }) => isOpen).length;
  }

  #request<T>(reply: (isReachable: boolean) => T): Promise<T> {
    return new Promise((resolve) => {
      const accept = (isReachable: boolean) => {
        const answer = reply(isReachable);
        return () => resolve(answer);
      };
      this.#pending.push({ accept, answer: null });
    });
  }

  #page(after: number): EventPage {
    const nextAfter = Math.min(after + PAGE_EVENTS, this.head);
    const lines = this.lines
      .slice(after, nextAfter)
      .filter((line) => matchesTypes(line, this.#types));
    return {
      // A page may contain texts of several lines and texts of one line.
      texts: [lines.slice(0, 2).join("\n"), ...lines.slice(2)].filter((text) => text !== ""),
      count: lines.length,
      head: this.head,
      nextAfter,
      more: nextAfter < this.head,
      ended: this.ended,
      ownEnd: Infinity,
      validUntil: Infinity,
      expiresAt: "2100-01-01T00:00:00.000Z",
    };
  }
}
