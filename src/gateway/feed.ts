/** The source from which a follower reads the log, and the steps that it returns. */
import type { EndReason } from "../domain/log/end-reason";
import type { EventTexts } from "../domain/log/event-line";
import type { EventPage } from "../object/messages";
import type { AsyncReply } from "./session-calls";

export interface Feed {
  /** A page of the log after the cursor; null means after the participant's own cursor. */
  read(after: number | null, maxLength: number): AsyncReply<EventPage>;
  /** A socket on which the object announces its commits. */
  listen(): AsyncReply<LiveSocket>;
}

export interface LiveSocket {
  /** Already accepted. */
  readonly socket: WebSocket;
  /** The head of the log when the socket opened: later events are announced. */
  readonly head: number;
}

export type Step =
  /** As they are stored. */
  | { readonly kind: "events"; readonly texts: EventTexts; readonly cursor: number }
  /** Returned once: everything up to `head` was delivered. */
  | { readonly kind: "replayed"; readonly head: number }
  | { readonly kind: "end"; readonly reason: EndReason; readonly cursor: number }
  /** The object cannot be reached for now; reconnect with the cursor. */
  | { readonly kind: "lost"; readonly cursor: number };
