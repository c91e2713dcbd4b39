/** Who may listen: a token that may view, or a principal that watches one of its jobs from elsewhere. */
import { CREDENTIAL_HEADER } from "../domain/log/live-wire";
import type { Credential } from "../domain/participants/admission";
import type { Room } from "./room";
import { admitTo } from "./gate";
import type { WatchRequest } from "./job-messages";
import type { Listener, Listeners } from "./listeners";
import type { Reply } from "./messages";
import { admitWatcher } from "./watch";

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
