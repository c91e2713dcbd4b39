/** The reader of the console: the texts of the pages, the console's own texts, and durations. */
import { redact } from "../../domain/redact";
import { languageOf, readerOf, type Reader } from "../words/index";
import { ar } from "./words/ar";
import { de } from "./words/de";
import { en, type ConsoleWords } from "./words/en";
import { es } from "./words/es";

const WORDS: Readonly<Record<string, ConsoleWords>> = { en, es, de, ar };

export interface ConsoleReader extends Reader {
  readonly console: ConsoleWords;
  /** A duration in its largest unit. */
  readonly age: (ms: number) => string;
  /** The address of this page in another language. */
  readonly inLanguage: (tag: string) => string;
}

const MINUTE_MS = 60_000;
const UNITS = [
  ["day", 24 * 60 * MINUTE_MS],
  ["hour", 60 * MINUTE_MS],
  ["minute", MINUTE_MS],
  ["second", 1000],
] as const;

export function consoleReader(request: Request): ConsoleReader {
  const language = languageOf(request);
  const age = (ms: number): string => {
    const [unit, length] = UNITS.find(([, one]) => ms >= one) ?? UNITS[3];
    const count = Math.max(0, Math.floor(ms / length));
    const format = { style: "unit", unit, unitDisplay: "long" } as const;
    return new Intl.NumberFormat(language, format).format(count);
  };
  const { searchParams } = new URL(request.url);
  const inLanguage = (tag: string): string => {
    const query = new URLSearchParams(searchParams);
    query.set("lang", tag);
    // Redacted, because the address of this page may contain a code.
    return `?${redact(query.toString())}`;
  };
  return { ...readerOf(language), console: WORDS[language] ?? en, age, inLanguage };
}
