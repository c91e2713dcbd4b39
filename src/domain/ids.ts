/**
 * Ids on the wire. A session id is `ses_` and the object's 32-byte id. Participants and handoffs
 * are numbered within their session.
 */
import { bytesToHex, decodeBase64url, encodeBase64url, hexToBytes } from "./base64url.ts";

declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

export type SessionId = Branded<string, "SessionId">;
/** Base64url of the SHA-256 of a token's secret. Tokens are stored only in this form. */
export type TokenHash = Branded<string, "TokenHash">;
/** Base64url of the SHA-256 of an operation, its arguments, If-Match and Idempotency-Key. */
export type RequestHash = Branded<string, "RequestHash">;

export const OBJECT_ID_BYTES = 32;
const SESSION_PREFIX = "ses_";
/** Long enough to recognise a token in the log, too short to use as one. */
const SHORT_HASH_LENGTH = 12;

export const sessionIdFromHex = (objectIdHex: string): SessionId =>
  (SESSION_PREFIX + encodeBase64url(hexToBytes(objectIdHex))) as SessionId;

/** The object's id in hex, or null if the text is not a session id. */
export function objectIdHexOf(sessionId: string): string | null {
  if (!sessionId.startsWith(SESSION_PREFIX)) return null;
  const bytes = decodeBase64url(sessionId.slice(SESSION_PREFIX.length));
  return bytes?.length === OBJECT_ID_BYTES ? bytesToHex(bytes) : null;
}

export const participantId = (number: number): string => `par_${number}`;
export const handoffId = (number: number): string => `hnd_${number}`;

/** The ids of a handoff and of the participant that it created, as events contain them. */
export const handoffIds = (number: number) => ({
  handoffId: handoffId(number),
  participant: participantId(number),
});

/** The number in `par_7`, `hnd_7`, `chk_7` or `upl_7`, or null. */
export function numberOf(id: string, prefix: "par_" | "hnd_" | "chk_" | "upl_"): number | null {
  const digits = id.startsWith(prefix) ? id.slice(prefix.length) : "";
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : null;
}

export const shortHash = (hash: TokenHash): string => hash.slice(0, SHORT_HASH_LENGTH);
