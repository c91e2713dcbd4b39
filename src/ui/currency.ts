/** Which units are currencies, and how many decimal digits each has. */

/** Symbols that people write instead of a code. Other currencies with the same symbol get the same digits. */
const SIGNS: Readonly<Record<string, string>> = { "€": "EUR", $: "USD", "£": "GBP", "¥": "JPY" };

const codes = new Set(Intl.supportedValuesOf("currency"));

/** Null for a unit that is not a currency: its numbers are written unchanged. */
export function centDigits(unit: string | undefined): number | null {
  const code = SIGNS[unit ?? ""] ?? unit;
  if (code === undefined || !codes.has(code)) return null;
  const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
  return format.resolvedOptions().minimumFractionDigits ?? null;
}
