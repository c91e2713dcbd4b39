/**
 * Those who listen, on hibernating WebSockets that the Worker holds for its clients: an idle one
 * costs nothing and lets the object sleep. What is sent here is an announcement, not the truth: a
 * receiver takes a commit only if it follows what it has, and otherwise reads the log.
 */
import { departures, type Ending } from "../domain/log/ending";
import {
  CLOSE_CODES,
  encodeAnnouncement,
  HEAD_HEADER,
  CREDENTIAL_HEADER,
} from "../domain/log/live-wire";
import type { CommitRecord } from "../storage/commit-log";
import type { Credential } from "../domain/participants/admission";
import type { Room } from "./room";
import { admitTo } from "./gate";
import type { WatchRequest } from "./job-messages";
import type { Reply } from "./messages";
import { admitWatcher } from "./watch";

interface Listener {
  readonly participant: number;
  /** Watches from another session as the principal of this participant, and outlives its resumes. */
  readonly isWatcher: boolean;
}

const tagOf = (participant: number): string => `p${participant}`;
const watcherTagOf = (participant: number): string => `w${participant}`;

export class Listeners {
  readonly #state: DurableObjectState;
  /** No more than this listen: as many as were counted last, and all that came since. */
  #atMost = Infinity;

  constructor(state: DurableObjectState) {
    this.#state = state;
  }

  /** Is there room for one more? Counted only where there might not be: listing many takes its time. */
  hasRoom(limit: number): boolean {
    if (this.#atMost >= limit) this.#atMost = this.#state.getWebSockets().length;
    return this.#atMost < limit;
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

  /** Told where the log ends now: what is committed from here on is announced. */
  accept({ participant, isWatcher }: Listener, head: number): Response {
    const { 0: outer, 1: inner } = new WebSocketPair();
    const tag = isWatcher ? watcherTagOf(participant) : tagOf(participant);
    this.#state.acceptWebSocket(inner, [tag]);
    this.#atMost += 1;
    const headers = { [HEAD_HEADER]: String(head) };
    return new Response(null, { status: 101, webSocket: outer, headers });
  }

  /** After the commit is stored: first who must go, then the news, then the end where it is one. */
  announce({ commit, text }: Pick<CommitRecord, "commit" | "text">): void {
    const { before, after } = departures(commit);
    for (const { participant, ending } of before) {
      this.#close(tagOf(participant), ending);
      if (ending === "revoked") this.#close(watcherTagOf(participant), ending);
    }
    const sockets = this.#state.getWebSockets();
    if (sockets.length === 0) return;
    const news = encodeAnnouncement(commit.first, commit.last, text);
    for (const socket of sockets) send(socket, news);
    if (after !== null) this.closeAll(after);
  }

  closeAll(ending: Ending): void {
    this.#close(undefined, ending);
  }

  #close(tag: string | undefined, ending: Ending): void {
    for (const socket of this.#state.getWebSockets(tag)) {
      try {
        socket.close(CLOSE_CODES[ending], ending);
      } catch {
        // Already closing from the other side.
      }
    }
  }
}

/** A socket that just broke is told by its close event; the others must not suffer for it. */
function send(socket: WebSocket, news: string): void {
  try {
    socket.send(news);
  } catch {
    // Its receiver comes back by itself and reads the log.
  }
}

/** Listeners come and go; a place may be free soon. */
const LISTENER_RETRY_MS = 5_000;

export function admitListener(
  room: Room,
  listeners: Listeners,
  headers: Headers,
  limit: number,
  now: number,
): Reply<Listener> {
  const shown = JSON.parse(headers.get(CREDENTIAL_HEADER) ?? "null") as Credential | WatchRequest;
  const listener = "principal" in shown ? watcher(room, shown, now) : follower(room, shown, now);
  if (!listener.ok || listeners.hasRoom(limit)) return listener;
  const what = `This session has its ${limit} listeners already.`;
  const failure = { code: "rate_limited", what, retryAfterMs: LISTENER_RETRY_MS } as const;
  return { ok: false, failure };
}

function follower(room: Room, credential: Credential, now: number): Reply<Listener> {
  const admitted = admitTo(room, { credential }, "live", now);
  if (!admitted.ok) return admitted;
  return { ok: true, value: { participant: admitted.value.participant.number, isWatcher: false } };
}

function watcher(room: Room, request: WatchRequest, now: number): Reply<Listener> {
  const admitted = admitWatcher(room, request, now);
  if (!admitted.ok) return admitted;
  const { participant } = admitted.value.viewer;
  return { ok: true, value: { participant: participant.number, isWatcher: true } };
}
