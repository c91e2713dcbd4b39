/** Where a follower gets the log from, and what it gives of it. */
import type { EndReason } from "../domain/log/end-reason";
import type { EventTexts } from "../domain/log/event-line";
import type { EventPage } from "../object/messages";
import type { AsyncReply } from "./session-calls";

export interface Feed {
  /** A page of the log after the cursor; null for where the participant's own cursor is. */
  read(after: number | null, maxLength: number): AsyncReply<EventPage>;
  /** From where on the object announces what it commits. */
  listen(): AsyncReply<LiveSocket>;
}

export interface LiveSocket {
  /** Already accepted. */
  readonly socket: WebSocket;
  /** The head of the log when it began: what comes after is announced. */
  readonly head: number;
}

export type Step =
  /** As they are stored. */
  | { readonly kind: "events"; readonly texts: EventTexts; readonly cursor: number }
  /** Said once: everything up to `head` was given. */
  | { readonly kind: "replayed"; readonly head: number }
  | { readonly kind: "end"; readonly reason: EndReason; readonly cursor: number }
  /** The object cannot be reached for now; come back with the cursor. */
  | { readonly kind: "lost"; readonly cursor: number };
