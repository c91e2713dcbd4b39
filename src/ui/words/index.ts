/** The reader's language: the chosen one, else the browser's. Each language has one file. */
import { ar } from "./ar";
import { centDigits } from "../currency";
import { de } from "./de";
import { en, type Words } from "./en";
import { es } from "./es";

export const LANGUAGES: Readonly<Record<string, Words>> = { en, es, de, ar };

/** The language of a page's reader, with its texts and formats. */
export interface Reader {
  readonly language: string;
  readonly words: Words;
  readonly format: (number: number) => string;
  /** In UTC, because the server does not know the reader's time zone. The page's script shows local time. */
  readonly time: (iso: string) => string;
  /** A calendar day, which has no time zone. */
  readonly day: (date: string) => string;
  /** A number as a value: four digits have no separator (they may be a year), money has its decimals. */
  readonly amount: (number: number, unit?: string) => string;
  /** Names of the session's files by id, because many fields contain only the id. */
  readonly fileNames?: Readonly<Record<string, string>>;
}

export function readerOf(language: string): Reader {
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 20 });
  const amounts = new Intl.NumberFormat(language, {
    maximumFractionDigits: 20,
    useGrouping: "min2",
  });
  const days = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
  const times = new Intl.DateTimeFormat(language, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  return {
    language,
    words: LANGUAGES[language] ?? en,
    format: (number) => numbers.format(number),
    amount: (number, unit) => {
      const digits = centDigits(unit);
      if (digits === null) return amounts.format(number);
      if (Number.isInteger(number)) return numbers.format(number);
      const shown = { minimumFractionDigits: digits, maximumFractionDigits: 20 };
      return new Intl.NumberFormat(language, shown).format(number);
    },
    day: (date) => days.format(new Date(`${date}T00:00:00Z`)),
    time: (iso) => `${times.format(new Date(iso))} UTC`,
  };
}

export const LANGUAGE_COOKIE = "baton-language";

const isLanguage = (tag: string | null | undefined): tag is string =>
  typeof tag === "string" && Object.hasOwn(LANGUAGES, tag);

export function languageOf(request: Request): string {
  const requested = new URL(request.url).searchParams.get("lang");
  const saved = new RegExp(`(?:^|; *)${LANGUAGE_COOKIE}=(\\w+)`).exec(
    request.headers.get("Cookie") ?? "",
  )?.[1];
  const accepted = (request.headers.get("Accept-Language") ?? "")
    .split(",")
    .map((part) => {
      const [tag = "", weight = "q=1"] = part.trim().split(";");
      return { tag: tag.slice(0, 2).toLowerCase(), weight: Number(weight.replace(/^ *q=/, "")) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
  return [requested, saved, ...accepted].find(isLanguage) ?? "en";
}
