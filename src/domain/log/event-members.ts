/**
 * Events with only some of their members, for callers that know the rest. They are cut out of the
 * stored text by position, because a replay may contain thousands. The order of members is that of
 * `LogEvent`.
 */
import { forEachEvent } from "./event-line";

export const EVENT_MEMBERS = [
  "seq",
  "type",
  "at",
  "actor",
  "participant",
  "state",
  "version",
  "payload",
  "trace",
] as const;
type Member = (typeof EVENT_MEMBERS)[number];

/** Maps each line to a line with fewer members. */
export type EventProjection = (lines: string) => string;

/**
 * The text with which each member starts. None of these can occur inside a string, because its
 * quotes are escaped. The only object before the payload is the actor, which contains none of them.
 */
const MEMBER_STARTS = [
  ',"type":"',
  ',"at":"',
  ',"actor":{',
  ',"participant":',
  ',"state":"',
  ',"version":',
  ',"payload":',
];
/** A trace always has this length. A payload that ends in the same way has one more closing brace. */
const TRACE_START = ',"trace":{"traceId":"';
const TRACE_LENGTH = TRACE_START.length + 32 + '","parentId":"'.length + 16 + '"}}'.length;

/** Null if all members stay. The seq is always included, because it is the cursor. */
export function projectionOf(members: readonly Member[] | undefined): EventProjection | null {
  if (members === undefined) return null;
  const isIncluded = EVENT_MEMBERS.slice(1).map((member) => members.includes(member));
  return (lines) => {
    let projected = "";
    forEachEvent(lines, (line) => {
      projected += (projected === "" ? "" : "\n") + projectLine(line, isIncluded);
    });
    return projected;
  };
}

function projectLine(line: string, isIncluded: readonly boolean[]): string {
  const end = line.length - 1;
  const trace = line.length - TRACE_LENGTH;
  const hasTrace = line.startsWith(TRACE_START, trace) && line.charAt(end - 2) === '"';
  let start = line.indexOf(MEMBER_STARTS[0] ?? "");
  let projected = line.slice(0, start);
  for (let index = 0; index < isIncluded.length; index++) {
    const next = index + 1 < MEMBER_STARTS.length;
    const last = index === MEMBER_STARTS.length - 1 && hasTrace ? trace : end;
    const until = next ? line.indexOf(MEMBER_STARTS[index + 1] ?? "", start) : last;
    if (isIncluded[index] === true) projected += line.slice(start, until);
    start = until;
  }
  return `${projected}}`;
}
