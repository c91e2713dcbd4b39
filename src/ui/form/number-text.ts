/**
 * Numbers as a language writes them: the one reader for what a person typed, and the one writer for
 * what an input shows. What could mean two numbers is not read. It runs in the browser too.
 */

interface Separators {
  readonly group: string;
  readonly decimal: string;
}

const separatorsByLanguage = new Map<string, Separators>();

function separatorsOf(language: string): Separators {
  const before = separatorsByLanguage.get(language);
  if (before !== undefined) return before;
  const format = new Intl.NumberFormat(language, { numberingSystem: "latn" });
  const parts = format.formatToParts(1_234_567.5);
  const sign = (type: string, other: string): string =>
    parts.find((part) => part.type === type)?.value ?? other;
  const signs = { group: sign("group", ","), decimal: sign("decimal", ".") };
  separatorsByLanguage.set(language, signs);
  return signs;
}

/** Marks for the direction of a text: they show nothing. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u2066-\u2069]/g;
const ARABIC_DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g;
/** Signs that separate groups in every language, because they never mean anything else. */
const GROUP_SEPARATORS = /[\s'\u2019\u066c]/g;
const CURRENCY = /^\p{Sc}|\p{Sc}$/u;

/**
 * As this language writes it. The keys of a phone follow its own language, not the page's: what this
 * language would never write, and the other way round can only mean one number, is that number.
 */
export function readNumber(text: string, language: string, unit = ""): number | null {
  const signs = separatorsOf(language);
  const { group, decimal } = signs;
  const latin = text
    .replaceAll(DIRECTION_MARKS, "")
    .replaceAll(ARABIC_DIGITS, (digit) => String(digit.charCodeAt(0) & 15))
    .replaceAll("\u2212", "-");
  const [, sign = "", size = ""] = /^([+-]?)(.*)$/s.exec(withoutUnit(latin, unit)) ?? [];
  const even = withoutUnit(size, unit)
    .replaceAll(GROUP_SEPARATORS, " ")
    .replaceAll("\u066b", decimal);
  const swapped = { group: decimal, decimal: group };
  const number =
    parseWith(even, signs) ?? (isUnambiguous(even, swapped) ? parseWith(even, swapped) : null);
  // JSON has no negative zero.
  return number === null ? null : (sign === "-" ? -number : number) + 0;
}

/** Null for what is no number, or none that is written with these signs. */
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

/** An integer beyond these would be kept as another one: a long number of an account, say. */
const significantDigits = (digits: string): string =>
  digits.replace(".", "").replaceAll(/^0+|0+$/g, "");
const shortestMantissa = (number: number): string => number.toExponential().split("e")[0] ?? "";

/** Three digits behind one sign may be a fraction or a thousand: with these signs it is neither. */
function isUnambiguous(text: string, { group, decimal }: Separators): boolean {
  const [integer = "", fraction] = text.split(decimal);
  return fraction === undefined ? integer.split(group).length > 2 : fraction.length !== 3;
}

/** Without the signs of a currency and the unit that stands beside the input. */
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

/** Null where a separator stands where this language puts none: it may be meant as a decimal sign. */
function withoutGroups(text: string, separators: readonly string[]): string | null {
  if (/^\d*$/.test(text)) return text;
  const separator = separators.find((one) => text.includes(one)) ?? "";
  const [first = "", ...groups] = separator === "" ? [] : text.split(separator);
  const isRight = /^\d{1,3}$/.test(first) && groups.every((one) => /^\d{3}$/.test(one));
  return isRight ? [first, ...groups].join("") : null;
}

/** Exactly this number, without separators of groups: it may be a year or a postcode. */
export const writeNumber = (number: number, language: string): string =>
  JSON.stringify(number).replace(".", separatorsOf(language).decimal);
