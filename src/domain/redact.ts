/**
 * Redacts credentials in text that is sent back or logged. A client that sends a token, a key or a
 * code instead of a name gets an error about the name, and the secret must not reach its logs.
 */
import { parseCode } from "./links/link-code";

/** Each of our credentials starts with its prefix, and a JSON Web Token with the encoding of `{"`. */
const CREDENTIAL = /\b(rtok_|jtok_|bkey_|hck_|whsec_|eyJ)[A-Za-z0-9_+/=.-]{6,}/g;
/** A link's code, grouped or not. */
const CODE = /(?<![A-Za-z0-9_-])[A-Za-z0-9]{4}(-?)[A-Za-z0-9]{4}\1[A-Za-z0-9]{5}(?![A-Za-z0-9_-])/g;

export const redact = (text: string): string =>
  text
    .replaceAll(CREDENTIAL, "$1…")
    // A word of thirteen letters can look like a code. Without a digit it counts as a word.
    .replaceAll(CODE, (found) => (/\d/.test(found) && parseCode(found) !== null ? "…" : found));

/** Redacts every text in a value, including names of members. */
export function redactValue(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(redactValue);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redact(name), redactValue(member)]),
  );
}
