/**
 * Listeners, on hibernating WebSockets that the Worker holds for its clients: an idle one costs
 * nothing and lets the object hibernate. What is sent here is an announcement, not the truth: a
 * receiver uses a commit only if it follows what it has, and otherwise reads the log.
 */
import { connectionEnds, type EndReason } from "../domain/log/end-reason";
import {
  CLOSE_CODES,
  encodeAnnouncement,
  HEAD_HEADER,
  CREDENTIAL_HEADER,
} from "../domain/log/listener-protocol";
import { ok } from "../domain/result";
import { LIMITS } from "../domain/limits";
import { KEY_HOLDER } from "../domain/owners/key-holder";
import { rootOf } from "../domain/participants/participant";
import { isOwner } from "../domain/participants/rights";
import type { CommitRecord } from "../storage/commit-log";
import type { Credential } from "../domain/participants/admission";
import type { SessionContext } from "./session-context";
import { admitTo, type Viewer } from "./gate";
import type { WatchRequest } from "./job-messages";
import type { Reply } from "./messages";
import { acceptSocket, broadcast } from "./stored-object";
import { admitWatcher } from "./watch";

interface Listener {
  readonly participant: number;
  /**
   * Watches from another session as the principal of this participant, and outlives its resumes.
   */
  readonly isWatcher: boolean;
  /** It is told that something was committed, and not what: it reads the log through the gate. */
  readonly isNarrowed: boolean;
}

const tagOf = (participant: number): string => `p${participant}`;
const NARROWED_TAG = "narrowed";
const watcherTagOf = (participant: number): string => `w${participant}`;

export class Listeners {
  readonly #state: DurableObjectState;
  /** Upper bound of the number of listeners: the last count plus all that were accepted since. */
  #upperBound = Infinity;

  constructor(state: DurableObjectState) {
    this.#state = state;
  }

  /** Counts only if the limit may be reached: listing many sockets takes time. */
  hasCapacity(limit: number): boolean {
    if (this.#upperBound >= limit) this.#upperBound = this.#state.getWebSockets().length;
    return this.#upperBound < limit;
  }

  /** Connections of these participants. */
  count(participants: readonly number[]): number {
    const tags = participants.flatMap((one) => [tagOf(one), watcherTagOf(one)]);
    return tags.reduce((sum, tag) => sum + this.#state.getWebSockets(tag).length, 0);
  }

  /** Numbers of the participants with an open connection. */
  online(): ReadonlySet<number> {
    return new Set(
      this.#state
        .getWebSockets()
        .filter((socket) => socket.readyState === WebSocket.OPEN)
        .flatMap((socket) => this.#state.getTags(socket))
        .filter((tag) => tag.startsWith("p"))
        .map((tag) => Number(tag.slice(1))),
    );
  }

  /** Tells the listener where the log ends now: later commits are announced. */
  accept({ participant, isWatcher, isNarrowed }: Listener, head: number): Response {
    const tag = isWatcher ? watcherTagOf(participant) : tagOf(participant);
    const tags = isNarrowed ? [tag, NARROWED_TAG] : [tag];
    this.#upperBound += 1;
    return acceptSocket(this.#state, tags, { [HEAD_HEADER]: String(head) });
  }

  /**
   * Called after the commit is stored: closes connections that it ends, sends the commit, then closes all
   * if the session ends.
   */
  announce({ commit, text }: Pick<CommitRecord, "commit" | "text">): void {
    const { before, after } = connectionEnds(commit);
    for (const { participant, ending: reason } of before) {
      this.#close(tagOf(participant), reason);
      if (reason === "revoked") this.#close(watcherTagOf(participant), reason);
    }
    const sockets = this.#state.getWebSockets();
    if (sockets.length === 0) return;
    const narrowed = new Set(this.#state.getWebSockets(NARROWED_TAG));
    const others = narrowed.size === 0 ? sockets : sockets.filter((one) => !narrowed.has(one));
    broadcast([...narrowed], encodeAnnouncement(commit.first, commit.last, null));
    broadcast(others, encodeAnnouncement(commit.first, commit.last, text));
    if (after !== null) this.closeAll(after);
  }

  closeAll(reason: EndReason): void {
    this.#close(undefined, reason);
  }

  #close(tag: string | undefined, reason: EndReason): void {
    for (const socket of this.#state.getWebSockets(tag)) {
      try {
        socket.close(CLOSE_CODES[reason], reason);
      } catch {
        // The other side is already closing the connection.
      }
    }
  }
}

/** Listeners come and go, so capacity may be free soon. */
const LISTENER_RETRY_MS = 5_000;

export function admitListener(
  context: SessionContext,
  listeners: Listeners,
  headers: Headers,
  limit: number,
  now: number,
): Reply<Listener> {
  const caller = JSON.parse(headers.get(CREDENTIAL_HEADER) ?? "null") as Credential | WatchRequest;
  const isWatcher = "principal" in caller;
  const admitted = isWatcher
    ? admitWatcher(context, caller, now)
    : admitTo(context, { credential: caller }, "live", now);
  if (!admitted.ok) return admitted;
  const viewer = "viewer" in admitted.value ? admitted.value.viewer : admitted.value;
  const group = groupOf(viewer);
  const share = Math.ceil((limit * LIMITS.listenersShare) / LIMITS.listeners);
  const isOverShare = group !== null && listeners.count(group) >= share;
  if (!isOverShare && listeners.hasCapacity(limit)) {
    const { participant } = viewer;
    // A link's page sends only numbers on, whatever narrows it by then.
    const isNarrowed = participant.link === undefined && viewer.isNarrowed;
    return ok({ participant: participant.number, isWatcher, isNarrowed });
  }
  const detail = isOverShare
    ? `This participant already has ${share} listeners.`
    : `This session already has ${limit} listeners.`;
  const failure = { code: "rate_limited", detail, retryAfterMs: LISTENER_RETRY_MS } as const;
  return { ok: false, failure };
}

/** The participants whose connections count together; null for an owner, who may use all. */
const groupOf = ({ participant, participants }: Viewer): readonly number[] | null => {
  if (isOwner(participant) || participant.number === KEY_HOLDER) return null;
  const root = rootOf(participant, participants);
  return participants
    .filter((one) => rootOf(one, participants) === root)
    .map(({ number }) => number);
};
