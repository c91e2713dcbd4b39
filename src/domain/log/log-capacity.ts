/**
 * How far a write may fill the log of its session. A part of it is kept for those who own the session,
 * so that nobody else can use it up, and a part for small writes, so that a full session can be steered.
 */
import { LIMITS } from "../limits";
import { isServerType, type LogEvent } from "./event";
import type { Scope } from "../participants/scope";

/** The server always finds room: what it writes ends or passes on what others began. */
export type Writer = "server" | "owner" | "other";

/** Of a participant or an executor; null is the server itself. */
export const writerOf = (scopes: readonly Scope[] | null): Writer =>
  scopes === null ? "server" : scopes.includes("own") ? "owner" : "other";

/** What a write puts into the session's row. A decision is no content: whoever reviews need not own. */
export type Addition = "content" | "decision" | "nothing";

/** How large a session's row a write may leave. What only steers the session may use the reserve. */
export function rowCapacity(writer: Writer, adds: Addition): number {
  if (adds === "nothing") return LIMITS.rowBytes + LIMITS.rowReserveBytes;
  return writer === "other" && adds === "content" ? LIMITS.rowShareBytes : LIMITS.rowBytes;
}

/** What clients and executors add without end. How a job ends is not of it: an end comes once. */
const isAppended = (type: string): boolean =>
  !isServerType(type) || type === "job.submitted" || type === "job.event";

/** What holds words of its writer and can be repeated: whoever may only do this must not use up the rest. */
const CONTENT_TYPE_PATTERN =
  /^(fields|upload)\.|^(session\.updated|stop\.reported|handoff\.(created|link_issued))$/;
const isContentType = (type: string): boolean =>
  isAppended(type) || CONTENT_TYPE_PATTERN.test(type);

/** The total that a write may reach. An append brings no events: they are only text. */
export function logCapacity(writer: Writer, events: readonly LogEvent[], bytes: number): number {
  if (writer === "server") return Infinity;
  const isOwner = writer === "owner";
  const isContent =
    bytes > LIMITS.rowReserveBytes ||
    events.length === 0 ||
    events.some(({ type }) => (isOwner ? isAppended(type) : isContentType(type)));
  if (isOwner) return LIMITS.logBytes + (isContent ? 0 : LIMITS.logReserveBytes);
  return isContent ? LIMITS.logShareBytes : LIMITS.logBytes + LIMITS.logReserveShareBytes;
}
