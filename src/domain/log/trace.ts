/**
 * The trace that a request belongs to, as W3C Trace Context names it, and how it stands in the log:
 * as a last member of the events the request wrote, and only where the caller sent one.
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

/** Null for what is none: the specification has a bad one ignored, never refused. */
export function parseTraceparent(value: unknown): Trace | null {
  const [, version, traceId, parentId, rest] =
    typeof value === "string" ? (TRACEPARENT.exec(value) ?? []) : [];
  if (traceId === undefined || parentId === undefined) return null;
  if (version === "ff" || (version === "00" && rest !== undefined)) return null;
  return traceId === NO_TRACE || parentId === NO_PARENT ? null : { traceId, parentId };
}

/** Lines of events, each with the trace as its last member. */
export function withTrace(lines: string, trace: Trace | null): string {
  if (trace === null) return lines;
  const { traceId, parentId } = trace;
  const member = `,"trace":${JSON.stringify({ traceId, parentId })}}`;
  // JSON text holds no raw line feed, so each one, and the end, follows an event's last brace.
  return lines.slice(0, -1).replaceAll("}\n", `${member}\n`) + member;
}
