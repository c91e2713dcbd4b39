/**
 * Events with some of their members only, for those who know the rest: cut out of the stored text by
 * position, because a replay may hold thousands. The order of members is that of `LogEvent`.
 */
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
export type Cut = (lines: string) => string;

/**
 * Where each member begins. None of these can stand inside a text, whose quotes are escaped, and of
 * what comes before the payload only the actor is an object, which holds none itself.
 */
const BEGINNINGS = [
  ',"type":"',
  ',"at":"',
  ',"actor":{',
  ',"state":"',
  ',"version":',
  ',"payload":',
];
/** It always has this length, and a payload that ends alike ends with one brace more. */
const TRACE = /,"trace":\{"traceId":"[\da-f]{32}","parentId":"[\da-f]{16}"\}\}$/;

/** Null where nothing is to be left out. The seq is always there: it says where to go on. */
export function cutTo(members: readonly Member[] | undefined): Cut | null {
  if (members === undefined) return null;
  const isWanted = EVENT_MEMBERS.slice(1).map((member) => members.includes(member));
  return (lines) =>
    lines
      .split("\n")
      .map((line) => cutLine(line, isWanted))
      .join("\n");
}

function cutLine(line: string, isWanted: readonly boolean[]): string {
  const trace = line.endsWith('"}}') ? line.search(TRACE) : -1;
  const starts: number[] = [];
  for (let place = 0; starts.length < BEGINNINGS.length; ) {
    place = line.indexOf(BEGINNINGS[starts.length] ?? "", place);
    starts.push(place);
  }
  const end = line.length - 1;
  starts.push(trace === -1 ? end : trace, end);
  let kept = line.slice(0, starts[0]);
  for (const [index, wanted] of isWanted.entries()) {
    if (wanted) kept += line.slice(starts[index], starts[index + 1]);
  }
  return `${kept}}`;
}
