/**
 * Events as text: one line of JSON each, in the order of keys of `LogEvent`, exactly as they are
 * sent. A replay hands rows on without parsing them; what a filter needs is cut out of the line.
 */
import type { LogEvent } from "./event";

/** JSON text never holds a raw line feed, so it can separate events. */
const SEPARATOR = "\n";

export const encodeEvents = (events: readonly LogEvent[]): string =>
  events.map(encodeEvent).join(SEPARATOR);

const encodeEvent = ({ seq, type, at, actor, state, version, payload }: LogEvent): string =>
  JSON.stringify({ seq, type, at, actor, state, version, payload });

/** A line begins with its number and its type: `{"seq":7,"type":"a.b"`. */
const SEQ_AT = '{"seq":'.length;
const TYPE_AFTER_SEQ = ',"type":"'.length;

/** Each event of a text with its number and its type, by position: a page may hold thousands. */
export function forEachEvent(
  lines: string,
  visit: (line: string, seq: string, type: string) => void,
): void {
  for (let from = 0, end = 0; from < lines.length; from = end + 1) {
    const feed = lines.indexOf(SEPARATOR, from);
    end = feed === -1 ? lines.length : feed;
    const seqEnd = lines.indexOf(",", from);
    const type = seqEnd + TYPE_AFTER_SEQ;
    visit(
      lines.slice(from, end),
      lines.slice(from + SEQ_AT, seqEnd),
      lines.slice(type, lines.indexOf('"', type)),
    );
  }
}

export const splitEvents = (lines: string): readonly string[] => lines.split(SEPARATOR);

/**
 * Events in their order, in texts of one line or more. What was read as several texts stays so: a
 * replay of megabytes is slower for every time it is copied.
 */
export type EventTexts = readonly string[];

/** One a line. */
export const linesIn = (texts: EventTexts): readonly string[] => texts.flatMap(splitEvents);

export const eventsIn = (texts: EventTexts): readonly LogEvent[] =>
  linesIn(texts).map((line) => JSON.parse(line) as LogEvent);

/** The type of an event in its line: a name without quotes or escapes. */
export function typeInLine(line: string): string {
  const start = line.indexOf(",") + TYPE_AFTER_SEQ;
  return line.slice(start, line.indexOf('"', start));
}

export const seqInLine = (line: string): number => Number(line.slice(SEQ_AT, line.indexOf(",")));

/** Exact names, or a namespace as `job.*`; an empty list means all. */
export function matchesTypes(line: string, types: readonly string[]): boolean {
  if (types.length === 0) return true;
  const type = typeInLine(line);
  return types.some((wanted) =>
    wanted.endsWith(".*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted,
  );
}
