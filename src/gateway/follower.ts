/**
 * One that follows a session's log, held in the Worker for a client's connection. It owns a cursor
 * and moves it only over events that follow each other, so the seam between replay and live is exact
 * by construction: news from the object's socket is taken if it begins right after the cursor,
 * dropped if it is already behind it, and anything else makes the follower read the log. It reads
 * before it listens, and again if the object says that its log had grown by then. The socket only
 * saves reading; losing it, or some of its news, costs a read and never an event.
 */
import { backoffMs, type Backoff } from "../domain/backoff";
import type { EndReason } from "../domain/log/end-reason";
import { matchesTypes } from "../domain/log/event-line";
import type { Failure } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import {
  decodeAnnouncement,
  endReasonOfCode,
  type Announcement,
} from "../domain/log/listener-protocol";
import type { EventPage } from "../object/messages";
import { Backlog } from "./backlog";
import { endReasonOfFailure, isFinal } from "./failure-end-reason";
import type { Feed, Step } from "./feed";
import type { GatewayRefusal, AsyncReply } from "./session-calls";
import { Sleeper } from "./sleeper";

/** In characters. What a client is given in one piece cannot be cut off in the middle. */
const SINGLE_PIECE_LENGTH = 256 * 1024;
const RECONNECT_ATTEMPTS = 8;
const RECONNECT: Backoff = { baseMs: 50, maxMs: 3_200, jitter: 0 };
/** The one commit that says that the session's time is up. */
const EXPIRY_TYPES = ["session.expired"];
/** When time is up the object's alarm says so itself; only if it is late is it asked. */
const ALARM_GRACE_MS = 2_000;

export class Follower {
  readonly #feed: Feed;
  readonly #types: readonly string[];
  #cursor: number | null;
  /** Must read the log before news can be taken again. */
  #isBehind = true;
  #isReplayed = false;
  #isFirst = true;
  #firstPage: EventPage | null = null;
  readonly #backlog = new Backlog();
  /** There was news since the log was last asked for that was not kept, so its answer is too old. */
  #isOverrun = false;
  #endReason: EndReason | null = null;
  #isBroken = false;
  #isClosed = false;
  /** Until when what was admitted last may be shown; past it, the object is asked again. */
  #validUntil = Infinity;
  #ownEnd = Infinity;
  /** What was given last says that the session expired, which those hear who were admitted until then. */
  #isExpiry = false;
  #socket: WebSocket | null = null;
  readonly #sleeper = new Sleeper();
  /** Told at once when the log may no longer be read, also to one that still holds events of it. */
  onCutOff: (ending: EndReason) => void = () => {};

  constructor(feed: Feed, after: number | null, types: readonly string[]) {
    this.#feed = feed;
    this.#cursor = after;
    this.#types = types;
  }

  /**
   * May what was given still be delivered, now? Asked before each part is: a slow client takes some
   * of them long after they came. Where not, `readmitted` asks the object, and the next step says why.
   */
  get isAdmitted(): boolean {
    const now = Date.now();
    if (this.#isExpiry) return now < this.#ownEnd;
    return now < this.#validUntil && (this.#endReason === "expired" || !isFinal(this.#endReason));
  }

  async readmit(): Promise<boolean> {
    if (isFinal(this.#endReason)) return false;
    const reply = await this.#feed.read(this.cursor, 1);
    if (reply.ok) this.#setAdmission(reply.value);
    else this.#endReason = endReasonOfFailure(reply.failure) ?? this.#endReason;
    return reply.ok;
  }

  /** Every event up to here was given or did not match. */
  get cursor(): number {
    return this.#cursor ?? 0;
  }

  /**
   * Reads, and then listens, unless the log is at its end for good: a replay that does not go live
   * needs no socket. What was committed in between is read like anything missed. A refusal is told
   * before anything.
   */
  async start(): AsyncReply<EventPage> {
    const page = await this.#readLog();
    if (!page.ok) {
      this.close();
      return page;
    }
    this.#firstPage = page.value;
    if (isWhole(page.value)) return page;
    return (await this.#connect(page.value.head)) ?? page;
  }

  async next(): Promise<Step> {
    for (;;) {
      const step = await this.nextWithin(Infinity);
      if (step !== null) return step;
    }
  }

  /** Null when there was no news for so long. */
  async nextWithin(idleMs: number): Promise<Step | null> {
    const until = Date.now() + idleMs;
    for (;;) {
      const step = this.ready() ?? (await this.#readOn());
      if (step !== null) return step;
      if (this.#isBroken && !(await this.#reconnect())) continue;
      if (this.#isBehind || !this.#isIdle) continue;
      await this.#sleep(until);
      if (this.#isIdle && Date.now() >= until) return null;
    }
  }

  /** The next step where it can be told without waiting. */
  ready(): Step | null {
    if (this.#isClosed) return { kind: "lost", cursor: this.cursor };
    return this.#takeAnnounced() ?? this.#takeFirst() ?? this.#replayedStep() ?? this.#endStep();
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.close(1000);
    this.#socket = null;
    this.#sleeper.end();
  }

  #takeAnnounced(): Step | null {
    while (!this.#isBehind) {
      const news = this.#backlog.take();
      if (news === undefined) return null;
      if (news.last <= this.cursor) continue;
      if (news.first > this.cursor + 1 || news.lines === null || !this.#canShow(news.lines)) {
        this.#isBehind = true;
        return null;
      }
      const lines = news.lines.slice(this.cursor + 1 - news.first);
      this.#cursor = news.last;
      const wanted = lines.filter((line) => matchesTypes(line, this.#types));
      if (wanted.length > 0) return { kind: "events", texts: wanted, cursor: this.cursor };
    }
    return null;
  }

  /** Of news that came by the socket. Past the session's end only that it expired. */
  #canShow(lines: readonly string[]): boolean {
    this.#isExpiry = lines.some((line) => matchesTypes(line, EXPIRY_TYPES));
    return this.isAdmitted;
  }

  #setAdmission({ validUntil, ownEnd }: EventPage): void {
    this.#validUntil = validUntil;
    this.#ownEnd = ownEnd;
  }

  #takeFirst(): Step | null {
    const page = this.#firstPage;
    this.#firstPage = null;
    return page === null || isFinal(this.#endReason) ? null : this.#takePage(page);
  }

  #takePage(page: EventPage): Step | null {
    this.#cursor = page.nextAfter;
    this.#setAdmission(page);
    this.#isBehind = page.more || this.#isOverrun;
    if (!this.#isBehind && page.ended) this.#endReason ??= "ended";
    const { texts } = page;
    return texts.length === 0 ? null : { kind: "events", texts, cursor: this.cursor };
  }

  async #readOn(): Promise<Step | null> {
    while (this.#isBehind && !isFinal(this.#endReason)) {
      const reply = await this.#readLog();
      if (!reply.ok) return this.#refusalStep(reply.failure);
      const step = this.#takePage(reply.value);
      if (step !== null) return step;
    }
    return this.#replayedStep();
  }

  #replayedStep(): Step | null {
    if (this.#isReplayed || this.#isBehind) return null;
    this.#isReplayed = true;
    return { kind: "replayed", head: this.cursor };
  }

  #readLog(): AsyncReply<EventPage> {
    this.#isOverrun = false;
    // The first page may be a whole replay; of a longer log, and live, less is held at a time.
    const maxLength = this.#isFirst ? LIMITS.replayBytes : LIMITS.pageBytes;
    this.#isFirst = false;
    return this.#feed.read(this.#cursor, maxLength);
  }

  #endStep(): Step | null {
    if (this.#endReason === null || (this.#isBehind && !isFinal(this.#endReason))) return null;
    const { cursor } = this;
    const reason = this.#endReason;
    this.close();
    return { kind: "end", reason, cursor };
  }

  #refusalStep(failure: Failure): Step {
    const reason = endReasonOfFailure(failure);
    const { cursor } = this;
    this.close();
    return reason === null ? { kind: "lost", cursor } : { kind: "end", reason, cursor };
  }

  get #isIdle(): boolean {
    return this.#backlog.isEmpty && this.#endReason === null;
  }

  /** Until there is news, the time is up, or the right to listen must be looked at again. */
  async #sleep(until: number): Promise<void> {
    const recheckAt = this.#validUntil + ALARM_GRACE_MS;
    await this.#sleeper.sleep(Math.min(recheckAt, until));
    if (this.#isIdle && Date.now() >= recheckAt) this.#isBehind = true;
  }

  /** Null when connected. `known` is the head that was read last. */
  async #connect(known: number): Promise<GatewayRefusal | null> {
    const reply = await this.#feed.listen();
    if (!reply.ok) return reply;
    const { socket, head } = reply.value;
    if (head > known) this.#isOverrun = true;
    if (this.#isClosed) {
      socket.close(1000);
      return null;
    }
    this.#socket = socket;
    this.#isBroken = false;
    socket.addEventListener("message", ({ data }) =>
      this.#receive(decodeAnnouncement(String(data))),
    );
    socket.addEventListener("close", ({ code }) => this.#handleClose(socket, code));
    socket.addEventListener("error", () => this.#handleClose(socket, 1006));
    return null;
  }

  #receive(news: Announcement): void {
    if (!this.#backlog.add(news)) {
      // The client takes less than comes in: read on from the log when it is ready.
      this.#isBehind = true;
      this.#isOverrun = true;
    }
    this.#sleeper.wake();
  }

  #handleClose(socket: WebSocket, code: number): void {
    if (socket !== this.#socket || this.#isClosed) return;
    this.#socket = null;
    const ending = endReasonOfCode(code);
    if (ending === null) this.#isBroken = true;
    else this.#endReason = ending;
    if (ending !== null && isFinal(ending)) this.onCutOff(ending);
    this.#sleeper.wake();
  }

  /** The object restarted or moved: listen again, and read what may have been missed meanwhile. */
  async #reconnect(): Promise<boolean> {
    for (let attempt = 0; attempt < RECONNECT_ATTEMPTS && !this.#isClosed; attempt++) {
      if (attempt > 0) await pause(backoffMs(RECONNECT, attempt));
      const refusal = await this.#connect(this.cursor).catch(() => LOST);
      this.#isBehind = true;
      if (refusal === null) return true;
      const ending = endReasonOfFailure(refusal.failure);
      if (ending !== null) {
        this.#endReason = ending;
        this.#isBroken = false;
        return true;
      }
    }
    this.close();
    return false;
  }
}

/** All there will ever be, and short enough to go out at once. */
const isWhole = ({ ended, more, texts }: EventPage): boolean =>
  ended && !more && texts.reduce((sum, text) => sum + text.length, 0) <= SINGLE_PIECE_LENGTH;

const LOST = { ok: false, failure: { code: "overloaded", retryAfterMs: 0 } } as const;
const pause = (ms: number): Promise<void> => new Promise((settle) => setTimeout(settle, ms));
