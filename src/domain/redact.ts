/**
 * What was sent, as far as it may be said again. A client that puts a token, a key or a code where a
 * name belongs is told what is wrong with the name; the secret itself would only reach its logs.
 */
import { parseCode } from "./links/link-code";

/** Every credential of ours begins with its kind; a JSON Web Token with the letters of `{"`. */
const CREDENTIAL = /\b(rtok_|jtok_|bkey_|hck_|whsec_|eyJ)[A-Za-z0-9_+/=.-]{6,}/g;
/** A link's code, grouped as it is shown or not. */
const CODE = /(?<![A-Za-z0-9_-])[A-Za-z0-9]{4}(-?)[A-Za-z0-9]{4}\1[A-Za-z0-9]{5}(?![A-Za-z0-9_-])/g;

export const redact = (text: string): string =>
  text
    .replaceAll(CREDENTIAL, "$1…")
    // A word of thirteen letters can pass for a code; one without a digit is taken for a word.
    .replaceAll(CODE, (found) => (/\d/.test(found) && parseCode(found) !== null ? "…" : found));

/** The same in every text of a value, names of members among them. */
export function redactValue(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(redactValue);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redact(name), redactValue(member)]),
  );
}
