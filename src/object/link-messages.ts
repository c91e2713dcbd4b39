/** What passes between gateway and object about a person's link and their page. */
import type { JsonObject } from "../domain/json";
import type { LinkState } from "../domain/links/link";
import type { Narrowing, Terms } from "../domain/links/terms";
import type { EventTexts } from "../domain/log/event-line";
import type { Actor } from "../domain/participants/actor";
import type { ParticipantView, SessionText } from "../domain/session/view";

/** What is told of a link before it is opened. */
export interface LinkPreview {
  readonly state: LinkState;
  /** Of one that waits: until when, and the title where its maker allows it. */
  readonly expiresAt?: number;
  readonly title?: string;
}

/** A person's part, as their page shows it. */
export interface PersonPageView {
  readonly session: SessionText;
  readonly me: ParticipantView;
  /** What is asked and shown, after the request for input is taken into account. */
  readonly terms: Terms;
  readonly narrowing: Narrowing | null;
  readonly note: string | null;
  readonly requestedBy: Actor | null;
  /** The answer goes back to whoever asked, and does not submit the session. */
  readonly isRequest: boolean;
  readonly answeredAt: string | null;
  readonly declinedAt: string | null;
  /** The last events, as far as they may be seen. */
  readonly texts: EventTexts;
  /** Values of private fields that the person may see. */
  readonly privates: JsonObject;
  /** The names of the files in the fields that the person sees, by their ids: many fields hold only the id. */
  readonly fileNames: Readonly<Record<string, string>>;
}
