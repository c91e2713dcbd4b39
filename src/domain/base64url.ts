/**
 * Base64url without padding, strict: each byte string has exactly one text. Hand-written because
 * the platform's decoders accept several spellings of the same bytes. An id or token with two
 * spellings would be two cache keys and two names in the log.
 */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Indexed by character code. Codes outside the alphabet have a value that does not fit in six bits. */
const INVALID = 64;
const VALUES = new Uint8Array(128).fill(INVALID);
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * The platform's own encoders are many times faster. Not every browser and Node version has them
 * yet.
 */
interface Encoder {
  toBase64?(options: { alphabet: "base64url"; omitPadding: true }): string;
  toHex?(): string;
}
const URL_SAFE = { alphabet: "base64url", omitPadding: true } as const;

export const encodeBase64url = (bytes: Uint8Array & Encoder): string =>
  bytes.toBase64?.(URL_SAFE) ?? encodeByHand(bytes);

function encodeByHand(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const a = bytes[i] ?? 0;
    const b = bytes[i + 1] ?? 0;
    const c = bytes[i + 2] ?? 0;
    text += ALPHABET.charAt(a >> 2) + ALPHABET.charAt(((a & 3) << 4) | (b >> 4));
    if (i + 1 < bytes.length) text += ALPHABET.charAt(((b & 15) << 2) | (c >> 6));
    if (i + 2 < bytes.length) text += ALPHABET.charAt(c & 63);
  }
  return text;
}

/** Null for any text that `encodeBase64url` would not have written. */
export function decodeBase64url(text: string): Uint8Array | null {
  if (text.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let buffer = 0;
  let bits = 0;
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? INVALID;
    if (value === INVALID) return null;
    buffer = ((buffer << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (buffer >> bits) & 0xff;
    }
  }
  const leftover = buffer & ((1 << bits) - 1);
  return leftover === 0 ? bytes : null;
}

export function hexToBytes(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = (digitAt(hex, 2 * i) << 4) | digitAt(hex, 2 * i + 1);
  }
  return bytes;
}

/** The low four bits of a hexadecimal digit in ASCII are its value, minus nine for a letter. */
function digitAt(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return (code & 15) + (code > 57 ? 9 : 0);
}

export const bytesToHex = (bytes: Uint8Array & Encoder): string =>
  bytes.toHex?.() ?? hexByHand(bytes);

function hexByHand(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += HEX[byte];
  return hex;
}

/** Standard base64, with padding. */
export const encodeBase64 = (bytes: Uint8Array): string =>
  encodeBase64url(bytes)
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .padEnd(Math.ceil(bytes.length / 3) * 4, "=");

/** Null for any text that `encodeBase64` would not have written. */
export function decodeBase64(text: string): Uint8Array | null {
  const bytes = /^[A-Za-z0-9+/]*={0,2}$/.test(text)
    ? decodeBase64url(text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""))
    : null;
  return bytes !== null && encodeBase64(bytes) === text ? bytes : null;
}
