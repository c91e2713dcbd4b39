/**
 * Reads and writes numbers as a language writes them. All numbers of the forms must go through here. An
 * ambiguous text is not read as a number. This file runs in the browser too.
 */

interface Separators {
  readonly group: string;
  readonly decimal: string;
}

const separatorsByLanguage = new Map<string, Separators>();

function separatorsOf(language: string): Separators {
  const cached = separatorsByLanguage.get(language);
  if (cached !== undefined) return cached;
  const format = new Intl.NumberFormat(language, { numberingSystem: "latn" });
  const parts = format.formatToParts(1_234_567.5);
  const separator = (type: string, other: string): string =>
    parts.find((part) => part.type === type)?.value ?? other;
  const separators = { group: separator("group", ","), decimal: separator("decimal", ".") };
  separatorsByLanguage.set(language, separators);
  return separators;
}

/** Invisible marks of the text direction. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u2066-\u2069]/g;
const ARABIC_DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g;
/** Characters that can only separate groups, in every language. */
const GROUP_SEPARATORS = /[\s'\u2019\u066c]/g;
const CURRENCY = /^\p{Sc}|\p{Sc}$/u;

/**
 * Reads a number as this language writes it. A phone's keyboard may follow another language: if the text
 * is not valid here but unambiguous with decimal and group separator swapped, it is read that way.
 */
export function readNumber(text: string, language: string, unit = ""): number | null {
  const separators = separatorsOf(language);
  const { group, decimal } = separators;
  const latin = text
    .replaceAll(DIRECTION_MARKS, "")
    .replaceAll(ARABIC_DIGITS, (digit) => String(digit.charCodeAt(0) & 15))
    .replaceAll("\u2212", "-");
  const [, sign = "", size = ""] = /^([+-]?)(.*)$/s.exec(withoutUnit(latin, unit)) ?? [];
  const normalized = withoutUnit(size, unit)
    .replaceAll(GROUP_SEPARATORS, " ")
    .replaceAll("\u066b", decimal);
  const swapped = { group: decimal, decimal: group };
  const number =
    parseWith(normalized, separators) ??
    (isUnambiguous(normalized, swapped) ? parseWith(normalized, swapped) : null);
  // JSON has no negative zero.
  return number === null ? null : (sign === "-" ? -number : number) + 0;
}

/** Null if the text is not a number with these separators. */
function parseWith(text: string, { group, decimal }: Separators): number | null {
  const [, mantissa = "", power = ""] = /^(.*?)(e[+-]?\d+)?$/is.exec(text) ?? [];
  const [integer = "", fraction = "", ...more] = mantissa.split(decimal);
  if (more.length > 0) return null;
  const digits = withoutGroups(integer, [group, " "]);
  if (digits === null || !/^\d*$/.test(fraction) || `${digits}${fraction}` === "") return null;
  const number = Number(`${digits || "0"}.${fraction || "0"}${power}`);
  if (!Number.isFinite(number)) return null;
  const isWhole = /^0*$/.test(fraction) && power === "";
  return isWhole && significantDigits(digits) !== significantDigits(shortestMantissa(number))
    ? null
    : number;
}

/** A longer integer, such as an account number, would be stored as another number. */
const significantDigits = (digits: string): string =>
  digits.replace(".", "").replaceAll(/^0+|0+$/g, "");
const shortestMantissa = (number: number): string => number.toExponential().split("e")[0] ?? "";

/** Three digits after a single separator can be a fraction or thousands, so they are ambiguous. */
function isUnambiguous(text: string, { group, decimal }: Separators): boolean {
  const [integer = "", fraction] = text.split(decimal);
  return fraction === undefined ? integer.split(group).length > 2 : fraction.length !== 3;
}

/** The text without currency symbols and without the unit of the input. */
function withoutUnit(text: string, unit: string): string {
  const end = unit.trim().toLowerCase();
  let rest = text.trim();
  for (let before = ""; before !== rest; ) {
    before = rest;
    const low = rest.toLowerCase();
    if (end !== "" && low.endsWith(end)) rest = rest.slice(0, -end.length).trim();
    else if (end !== "" && low.startsWith(end)) rest = rest.slice(end.length).trim();
    else rest = rest.replace(CURRENCY, "").trim();
  }
  return rest;
}

/** Null if a separator is not at a group boundary: it may be meant as a decimal separator. */
function withoutGroups(text: string, separators: readonly string[]): string | null {
  if (/^\d*$/.test(text)) return text;
  const separator = separators.find((one) => text.includes(one)) ?? "";
  const [first = "", ...groups] = separator === "" ? [] : text.split(separator);
  const isRight = /^\d{1,3}$/.test(first) && groups.every((one) => /^\d{3}$/.test(one));
  return isRight ? [first, ...groups].join("") : null;
}

/** The exact number without group separators, because it may be a year or a postcode. */
export const writeNumber = (number: number, language: string): string =>
  JSON.stringify(number).replace(".", separatorsOf(language).decimal);
