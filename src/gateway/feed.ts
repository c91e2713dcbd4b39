/** Where a follower gets the log from, and what it gives of it. */
import type { Ending } from "../domain/log/ending";
import type { EventTexts } from "../domain/log/event-line";
import type { Page } from "../object/messages";
import type { Answered } from "./session-calls";

export interface Feed {
  /** A page of the log after the cursor; null for where the participant's own cursor is. */
  read(after: number | null, maxLength: number): Answered<Page>;
  /** From where on the object announces what it commits. */
  listen(): Answered<Listening>;
}

export interface Listening {
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
  | { readonly kind: "end"; readonly ending: Ending; readonly cursor: number }
  /** The object cannot be reached for now; come back with the cursor. */
  | { readonly kind: "lost"; readonly cursor: number };
