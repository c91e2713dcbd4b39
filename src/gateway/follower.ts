/**
 * Follows a session's log in the Worker for a client's connection. It owns a cursor and moves it only
 * over consecutive events, so the seam between replay and live is exact by construction: an announcement
 * from the object's socket is taken if it starts right after the cursor, and dropped if the cursor is
 * already past it. Anything else makes the follower read the log. It reads before it listens, and again
 * if the object reports that its log had grown by then. The socket only saves reads; losing it, or some
 * of its announcements, costs a read and never an event.
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

/** In characters. What is sent in one piece cannot be interrupted when access ends. */
const SINGLE_PIECE_LENGTH = 256 * 1024;
const RECONNECT_ATTEMPTS = 8;
const RECONNECT: Backoff = { baseMs: 50, maxMs: 3_200, jitter: 0 };
/** The commit that records the session's expiry. */
const EXPIRY_TYPES = ["session.expired"];
/** The object's alarm announces the expiry itself; the follower reads the log only if the alarm is late. */
const ALARM_GRACE_MS = 2_000;

export class Follower {
  readonly #feed: Feed;
  readonly #types: readonly string[];
  #cursor: number | null;
  /** The log must be read before announcements can be taken again. */
  #isBehind = true;
  #isReplayed = false;
  #isFirst = true;
  #firstPage: EventPage | null = null;
  readonly #backlog = new Backlog();
  /** An announcement was dropped since the last read of the log started, so its page is already stale. */
  #isOverrun = false;
  #endReason: EndReason | null = null;
  #isBroken = false;
  #isClosed = false;
  /** Until when the last admission is valid; after that, the object is called again. */
  #validUntil = Infinity;
  #ownEnd = Infinity;
  /**
   * The last step reports the session's expiry, which may be shown to everyone who was admitted until
   * then.
   */
  #isExpiry = false;
  #socket: WebSocket | null = null;
  readonly #sleeper = new Sleeper();
  /** Called at once when the log may no longer be read, even if the client still holds undelivered events. */
  onCutOff: (reason: EndReason) => void = () => {};

  constructor(feed: Feed, after: number | null, types: readonly string[]) {
    this.#feed = feed;
    this.#cursor = after;
    this.#types = types;
  }

  /**
   * May delivered steps still be sent? This is checked before each part, because a slow client may
   * receive a part long after it was read. If not, `readmit` calls the object, and the next step has the
   * reason.
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

  /** Every event up to here was delivered or did not match. */
  get cursor(): number {
    return this.#cursor ?? 0;
  }

  /**
   * Reads, and then listens, unless the log has ended: a replay that does not go live needs no socket.
   * Commits in between are read like anything else that was missed. A refusal is returned before any
   * step.
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

  /** Null if nothing was announced for `idleMs`. */
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

  /** The next step if there is one without waiting. */
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
      const announcement = this.#backlog.take();
      if (announcement === undefined) return null;
      if (announcement.last <= this.cursor) continue;
      if (
        announcement.first > this.cursor + 1 ||
        announcement.lines === null ||
        !this.#canShow(announcement.lines)
      ) {
        this.#isBehind = true;
        return null;
      }
      const lines = announcement.lines.slice(this.cursor + 1 - announcement.first);
      this.#cursor = announcement.last;
      const matching = lines.filter((line) => matchesTypes(line, this.#types));
      if (matching.length > 0) return { kind: "events", texts: matching, cursor: this.cursor };
    }
    return null;
  }

  /** For announced lines. After the session's end only its expiry may be shown. */
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
    // The first page may be a whole replay. Of a longer log, and live, less is held at a time.
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

  /** Until an announcement, the given time, or the time at which the admission must be checked again. */
  async #sleep(until: number): Promise<void> {
    const recheckAt = this.#validUntil + ALARM_GRACE_MS;
    await this.#sleeper.sleep(Math.min(recheckAt, until));
    if (this.#isIdle && Date.now() >= recheckAt) this.#isBehind = true;
  }

  /** Null if connected. `knownHead` is the head that was read last. */
  async #connect(knownHead: number): Promise<GatewayRefusal | null> {
    const reply = await this.#feed.listen();
    if (!reply.ok) return reply;
    const { socket, head } = reply.value;
    if (head > knownHead) this.#isOverrun = true;
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

  #receive(announcement: Announcement): void {
    if (!this.#backlog.add(announcement)) {
      // The client reads more slowly than events arrive: continue from the log when it is ready.
      this.#isBehind = true;
      this.#isOverrun = true;
    }
    this.#sleeper.wake();
  }

  #handleClose(socket: WebSocket, code: number): void {
    if (socket !== this.#socket || this.#isClosed) return;
    this.#socket = null;
    const reason = endReasonOfCode(code);
    if (reason === null) this.#isBroken = true;
    else this.#endReason = reason;
    if (reason !== null && isFinal(reason)) this.onCutOff(reason);
    this.#sleeper.wake();
  }

  /** The object restarted or moved: listen again, and read what may have been missed meanwhile. */
  async #reconnect(): Promise<boolean> {
    for (let attempt = 0; attempt < RECONNECT_ATTEMPTS && !this.#isClosed; attempt++) {
      if (attempt > 0) await pause(backoffMs(RECONNECT, attempt));
      const refusal = await this.#connect(this.cursor).catch(() => LOST);
      this.#isBehind = true;
      if (refusal === null) return true;
      const reason = endReasonOfFailure(refusal.failure);
      if (reason !== null) {
        this.#endReason = reason;
        this.#isBroken = false;
        return true;
      }
    }
    this.close();
    return false;
  }
}

/** The whole log of an ended session, and short enough to send at once. */
const isWhole = ({ ended, more, texts }: EventPage): boolean =>
  ended && !more && texts.reduce((sum, text) => sum + text.length, 0) <= SINGLE_PIECE_LENGTH;

const LOST = { ok: false, failure: { code: "overloaded", retryAfterMs: 0 } } as const;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
