/**
 * Events with some of their members only, for those who know the rest: cut out of the stored text by
 * position, because a replay may hold thousands. The order of members is that of `LogEvent`.
 */
import { forEachEvent } from "./event-line";

export const EVENT_MEMBERS = [
  "seq",
  "type",
  "at",
  "actor",
  "state",
  "version",
  "payload",
  "trace",
] as const;
type Member = (typeof EVENT_MEMBERS)[number];

/** Makes of lines of events other lines, one for each. */
export type EventProjection = (lines: string) => string;

/**
 * Where each member begins. None of these can stand inside a text, whose quotes are escaped, and of
 * what comes before the payload only the actor is an object, which holds none itself.
 */
const MEMBER_STARTS = [
  ',"type":"',
  ',"at":"',
  ',"actor":{',
  ',"state":"',
  ',"version":',
  ',"payload":',
];
/** A trace always has this length, and a payload that ends alike ends with one brace more. */
const TRACE_START = ',"trace":{"traceId":"';
const TRACE_LENGTH = TRACE_START.length + 32 + '","parentId":"'.length + 16 + '"}}'.length;

/** Null where nothing is to be left out. The seq is always there: it says where to go on. */
export function projectionOf(members: readonly Member[] | undefined): EventProjection | null {
  if (members === undefined) return null;
  const isWanted = EVENT_MEMBERS.slice(1).map((member) => members.includes(member));
  return (lines) => {
    let kept = "";
    forEachEvent(lines, (line) => {
      kept += (kept === "" ? "" : "\n") + projectLine(line, isWanted);
    });
    return kept;
  };
}

function projectLine(line: string, isWanted: readonly boolean[]): string {
  const end = line.length - 1;
  const trace = line.length - TRACE_LENGTH;
  const hasTrace = line.startsWith(TRACE_START, trace) && line.charAt(end - 2) === '"';
  let start = line.indexOf(MEMBER_STARTS[0] ?? "");
  let kept = line.slice(0, start);
  for (let index = 0; index < isWanted.length; index++) {
    const next = index + 1 < MEMBER_STARTS.length;
    const last = index === MEMBER_STARTS.length - 1 && hasTrace ? trace : end;
    const until = next ? line.indexOf(MEMBER_STARTS[index + 1] ?? "", start) : last;
    if (isWanted[index] === true) kept += line.slice(start, until);
    start = until;
  }
  return `${kept}}`;
}
