/** What a face gets back for a write: the session as it is shown, and the tokens that go with it. */
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

/** Where an owner's key acted: it has no line of tokens. */
export const NO_TOKEN = "" as RawToken;

export interface WriteAnswer extends CreateAnswer {
  readonly outcome: JsonObject;
  readonly handoff: HandoffView | null;
  readonly participantToken: RawToken | null;
  /** Of a link just made. */
  readonly code: LinkCode | null;
  readonly page: EventPage | null;
  /** A signed head of the log, of an operation that is proven, where the server signs. */
  readonly proof: JsonObject | null;
  readonly child: SessionView | SessionOutline | null;
  readonly childToken: RawToken | null;
  /** The secret that a write brought along, or on a replay the one that the first time brought. */
  readonly secret: Uint8Array | null;
}

export interface WriteOptions {
  readonly ifMatch: number | null;
  readonly idempotencyKey: string | null;
  readonly secretInput?: SecretInput;
}

/** What goes with a command and must not stand in it: it is a secret, or sealed. */
interface SecretInput {
  /** What makes two requests the same, in place of the command. */
  readonly identity?: unknown;
  readonly parts?: SealedEndpointParts;
  /** Given back in the answer, and so sealed for a replay of it. */
  readonly secret?: Uint8Array;
}
