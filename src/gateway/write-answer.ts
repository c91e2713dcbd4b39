/** What a write returns to a face: the session and its tokens. */
import type { LinkCode } from "../domain/links/link-code";
import type { JsonObject } from "../domain/json";
import type { SealedEndpointParts } from "../domain/notices/endpoint-rules";
import type { HandoffView, SessionOutline, SessionView } from "../domain/session/view";
import type { EventPage } from "../object/messages";
import type { SerializedSession } from "./serialized-session";
import type { RawToken } from "./token";

export interface CreateAnswer {
  readonly session: SerializedSession;
  readonly resumeToken: RawToken;
  readonly replayed: boolean;
}

/** For an owner's key: it has no token line. */
export const NO_TOKEN = "" as RawToken;

export interface WriteAnswer extends CreateAnswer {
  readonly outcome: JsonObject;
  readonly handoff: HandoffView | null;
  readonly participantToken: RawToken | null;
  /** Of a new link. */
  readonly code: LinkCode | null;
  readonly page: EventPage | null;
  /** A signed head of the log, if the operation is proven and the server signs. */
  readonly proof: JsonObject | null;
  readonly child: SessionView | SessionOutline | null;
  readonly childToken: RawToken | null;
  /** The secret of the write's input, or on a replay that of the first request. */
  readonly secret: Uint8Array | null;
}

export interface WriteOptions {
  readonly ifMatch: number | null;
  readonly idempotencyKey: string | null;
  readonly secretInput?: SecretInput;
}

/** Input of a command that must not be part of it, because it is secret or sealed. */
interface SecretInput {
  /** Identifies the request instead of the command. */
  readonly identity?: unknown;
  readonly parts?: SealedEndpointParts;
  /** Returned in the answer, and therefore sealed for a replay. */
  readonly secret?: Uint8Array;
}
