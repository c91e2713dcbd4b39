/**
 * The resume token: `rtok_` and base64url of object id (32 bytes) · participant (4) · first seq of the
 * commit that issued it (6) · secret (24). 66 bytes fill 88 characters exactly, so every token has one
 * spelling. Raw tokens exist only in the gateway and in responses.
 */
import { bytesToHex, decodeBase64url, encodeBase64url, hexToBytes } from "../domain/base64url";
import { OBJECT_ID_BYTES } from "../domain/ids";

declare const brand: unique symbol;
/** A usable credential. Never stored, logged or put in an error. */
export type RawToken = string & { readonly [brand]: "RawToken" };

export interface TokenParts {
  readonly objectIdHex: string;
  readonly participant: number;
  readonly issuedSeq: number;
  readonly secret: Uint8Array;
}

export const TOKEN_PREFIX = "rtok_";
/**
 * A job token has the job's number instead of the participant's, and the epoch of the claim instead of
 * the seq. It proves only this claim.
 */
export const JOB_TOKEN_PREFIX = "jtok_";
/**
 * The value of a link's HttpOnly cookie. It is not a resume token: its hash has its own label and is
 * valid only together with the link's code.
 */
export const COOKIE_PREFIX = "hck_";
type Prefix = typeof TOKEN_PREFIX | typeof JOB_TOKEN_PREFIX | typeof COOKIE_PREFIX;

const PARTICIPANT_BYTES = 4;
const SEQ_BYTES = 6;
/** 192 random bits. */
export const SECRET_BYTES = 24;
const TOKEN_BYTES = OBJECT_ID_BYTES + PARTICIPANT_BYTES + SEQ_BYTES + SECRET_BYTES;

const SEQ_AT = OBJECT_ID_BYTES + PARTICIPANT_BYTES;
const SECRET_AT = SEQ_AT + SEQ_BYTES;
const TWO_32 = 2 ** 32;

export function formatToken(
  { objectIdHex, participant, issuedSeq, secret }: TokenParts,
  prefix: Prefix = TOKEN_PREFIX,
): RawToken {
  const bytes = new Uint8Array(TOKEN_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(hexToBytes(objectIdHex), 0);
  view.setUint32(OBJECT_ID_BYTES, participant);
  view.setUint16(SEQ_AT, Math.floor(issuedSeq / TWO_32));
  view.setUint32(SEQ_AT + 2, issuedSeq % TWO_32);
  bytes.set(secret, SECRET_AT);
  return (prefix + encodeBase64url(bytes)) as RawToken;
}

/** The parts, or null if the text does not have the format of a token. Proves nothing about the secret. */
export function parseToken(text: string, prefix: Prefix = TOKEN_PREFIX): TokenParts | null {
  if (!text.startsWith(prefix)) return null;
  const bytes = decodeBase64url(text.slice(prefix.length));
  if (bytes?.length !== TOKEN_BYTES) return null;
  const view = new DataView(bytes.buffer);
  return {
    objectIdHex: bytesToHex(bytes.subarray(0, OBJECT_ID_BYTES)),
    participant: view.getUint32(OBJECT_ID_BYTES),
    issuedSeq: view.getUint16(SEQ_AT) * TWO_32 + view.getUint32(SEQ_AT + 2),
    secret: bytes.slice(SECRET_AT),
  };
}
