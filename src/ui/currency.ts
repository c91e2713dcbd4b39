/** Which units are money, and how many digits follow its decimal sign. */

/** The signs that people write for a code; of a sign that several currencies have, all have cents. */
const SIGNS: Readonly<Record<string, string>> = { "€": "EUR", $: "USD", "£": "GBP", "¥": "JPY" };

const codes = new Set(Intl.supportedValuesOf("currency"));

/** Null for a unit that is no currency: a number of it is written as it is. */
export function centDigits(unit: string | undefined): number | null {
  const code = SIGNS[unit ?? ""] ?? unit;
  if (code === undefined || !codes.has(code)) return null;
  const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
  return format.resolvedOptions().minimumFractionDigits ?? null;
}
