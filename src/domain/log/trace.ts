/**
 * The trace of a request, as W3C Trace Context defines it. The log contains it as the last member
 * of the events that the request wrote, and only if the caller sent one.
 */
export interface Trace {
  readonly traceId: string;
  /** The caller's own span. */
  readonly parentId: string;
}

/** version - trace id - parent id - flags; a later version may add more after another hyphen. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/;
const NO_TRACE = "0".repeat(32);
const NO_PARENT = "0".repeat(16);

/** Null if it is malformed. The specification requires ignoring a malformed one. */
export function parseTraceparent(value: unknown): Trace | null {
  const [, version, traceId, parentId, rest] =
    typeof value === "string" ? (TRACEPARENT.exec(value) ?? []) : [];
  if (traceId === undefined || parentId === undefined) return null;
  if (version === "ff" || (version === "00" && rest !== undefined)) return null;
  return traceId === NO_TRACE || parentId === NO_PARENT ? null : { traceId, parentId };
}

/** Adds the trace as the last member of each line. */
export function withTrace(lines: string, trace: Trace | null): string {
  if (trace === null) return lines;
  const { traceId, parentId } = trace;
  const member = `,"trace":${JSON.stringify({ traceId, parentId })}}`;
  // JSON text contains no raw line feed, so each line feed, and the end, follows the last brace of
  // an event.
  return lines.slice(0, -1).replaceAll("}\n", `${member}\n`) + member;
}
