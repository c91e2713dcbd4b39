/**
 * The code of a short link: 12 Crockford base32 characters (60 random bits) and a Luhn mod 32 check
 * character, shown as XXXX-XXXX-XXXXX. The check detects every single mistyped character before any
 * lookup. Characters that people confuse (O and 0, I, L and 1) are read as the intended ones.
 */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BASE = ALPHABET.length;
const BITS = 5;
const DATA_LENGTH = 12;
const CODE_LENGTH = DATA_LENGTH + 1;

declare const brand: unique symbol;
/**
 * The code in a link. Anyone who has it can open the link, so it is never stored, logged or put in
 * an event.
 */
export type LinkCode = string & { readonly [brand]: "LinkCode" };

/** The code of the first 60 of the given random bits. */
export function codeFromBytes(bytes: Uint8Array): LinkCode {
  let data = "";
  for (let at = 0; at < DATA_LENGTH; at++) {
    const bit = at * BITS;
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    data += ALPHABET.charAt((pair >> (16 - BITS - (bit & 7))) & (BASE - 1));
  }
  return grouped(data + checkCharacter(data));
}

/** The code in its canonical form, or null if it is too long, too short or mistyped. */
export function parseCode(text: string): LinkCode | null {
  const plain = text
    .toUpperCase()
    .replaceAll(/[\s-]/g, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
  if (plain.length !== CODE_LENGTH || [...plain].some((char) => !ALPHABET.includes(char))) {
    return null;
  }
  const data = plain.slice(0, DATA_LENGTH);
  return checkCharacter(data) === plain.charAt(DATA_LENGTH) ? grouped(plain) : null;
}

const grouped = (plain: string): LinkCode =>
  `${plain.slice(0, 4)}-${plain.slice(4, 8)}-${plain.slice(8)}` as LinkCode;

/** Luhn mod 32: from the right, every second value is doubled, and its base 32 digits are added. */
function checkCharacter(data: string): string {
  const sum = [...data].toReversed().reduce((total, char, index) => {
    const value = ALPHABET.indexOf(char) * (index % 2 === 0 ? 2 : 1);
    return total + Math.floor(value / BASE) + (value % BASE);
  }, 0);
  return ALPHABET.charAt((BASE - (sum % BASE)) % BASE);
}
