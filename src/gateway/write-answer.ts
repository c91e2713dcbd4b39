/** What a face gets back for a write: the session as it is shown, and the tokens that go with it. */
import type { LinkCode } from "../domain/links/link-code";
import type { JsonObject } from "../domain/json";
import type { HandoffView, SessionOutline, SessionView } from "../domain/session/view";
import type { Page } from "../object/messages";
import type { ShownSession } from "./shown-session";
import type { RawToken } from "./token";

export interface CreateAnswer {
  readonly shown: ShownSession;
  readonly resumeToken: RawToken;
  readonly replayed: boolean;
}

export interface WriteAnswer {
  readonly shown: ShownSession;
  readonly resumeToken: RawToken;
  readonly replayed: boolean;
  readonly outcome: JsonObject;
  readonly handoff: HandoffView | null;
  readonly participantToken: RawToken | null;
  /** Of a link just made. */
  readonly code: LinkCode | null;
  readonly page: Page | null;
  readonly child: SessionView | SessionOutline | null;
  readonly childToken: RawToken | null;
}

export interface WriteOptions {
  readonly ifMatch: number | null;
  readonly idempotencyKey: string | null;
}
