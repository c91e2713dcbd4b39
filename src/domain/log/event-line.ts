/**
 * Events as text: one line of JSON each, with the keys in the order of `LogEvent`, exactly as they
 * are sent. A replay returns rows without parsing them. Filters read what they need directly from
 * the line.
 */
import type { LogEvent } from "./event";

/** JSON text never contains a raw line feed, so it can separate events. */
const SEPARATOR = "\n";

export const encodeEvents = (events: readonly LogEvent[]): string =>
  events.map(encodeEvent).join(SEPARATOR);

const encodeEvent = (event: LogEvent): string => {
  const { seq, type, at, actor, participant, state, version, payload } = event;
  return JSON.stringify({ seq, type, at, actor, participant, state, version, payload });
};

/** A line starts with its number and its type: `{"seq":7,"type":"a.b"`. */
const SEQ_AT = '{"seq":'.length;
const TYPE_AFTER_SEQ = ',"type":"'.length;

/**
 * Calls `visit` for each event with its number and type. Reads by position, because a page may
 * contain thousands.
 */
export function forEachEvent(
  lines: string,
  visit: (line: string, seq: string, type: string) => void,
): void {
  for (let from = 0, end = 0; from < lines.length; from = end + 1) {
    const lineFeed = lines.indexOf(SEPARATOR, from);
    end = lineFeed === -1 ? lines.length : lineFeed;
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
 * Events in order, in texts of one or more lines. Several texts are not joined, because every copy
 * slows a replay of megabytes down.
 */
export type EventTexts = readonly string[];

/** One event per line. */
export const linesIn = (texts: EventTexts): readonly string[] => texts.flatMap(splitEvents);

export const eventsIn = (texts: EventTexts): readonly LogEvent[] =>
  linesIn(texts).map((line) => JSON.parse(line) as LogEvent);

/** The type of the event in this line. Types contain no quotes and no escapes. */
export function typeInLine(line: string): string {
  const start = line.indexOf(",") + TYPE_AFTER_SEQ;
  return line.slice(start, line.indexOf('"', start));
}

export const seqInLine = (line: string): number => Number(line.slice(SEQ_AT, line.indexOf(",")));

/** Exact names, or a namespace such as `job.*`. An empty list matches all. */
export function matchesTypes(line: string, types: readonly string[]): boolean {
  return types.length === 0 || matchesType(typeInLine(line), types);
}

/** Is the type one of these, or in one of these namespaces? An empty list matches none. */
export const matchesType = (type: string, types: readonly string[]): boolean =>
  types.some((pattern) =>
    pattern.endsWith(".*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern,
  );

/** Does every type that the pattern matches match the list too? */
export const isWithinTypes = (pattern: string, types: readonly string[]): boolean =>
  types.includes(pattern) || matchesType(pattern, types);
