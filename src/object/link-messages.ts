/** Messages between gateway and object about a person's link and their page. */
import type { JsonObject } from "../domain/json";
import type { LinkState } from "../domain/links/link";
import type { Terms } from "../domain/links/terms";
import type { Narrowing } from "../domain/participants/narrowing";
import type { EventTexts } from "../domain/log/event-line";
import type { Actor } from "../domain/participants/actor";
import type { ParticipantView, SessionText } from "../domain/session/view";

/** What is shown of a link before it is opened. */
export interface LinkPreview {
  readonly state: LinkState;
  /** For a waiting link: its end, and the title if its creator allows it. */
  readonly expiresAt?: number;
  readonly title?: string;
}

/** What a person's page shows of the session. */
export interface PersonPageView {
  readonly session: SessionText;
  readonly me: ParticipantView;
  /** Which fields are requested and shown, with the request for input taken into account. */
  readonly terms: Terms;
  readonly narrowing: Narrowing | null;
  readonly note: string | null;
  readonly requestedBy: Actor | null;
  /** The answer goes back to the requester and does not submit the session. */
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
