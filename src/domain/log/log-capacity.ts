/**
 * How far a write may fill the log and the row of its session. A part is reserved for owners, so
 * that nobody else can use it up. Another part is reserved for small writes, so that a full session
 * can still be controlled.
 */
import { LIMITS } from "../limits";
import { isServerType, type LogEvent } from "./event";
import type { Scope } from "../participants/scope";

/** The server has no limit, because its writes end or continue what others started. */
export type Writer = "server" | "owner" | "other";

/** The scopes of a participant or an executor; null for the server itself. */
export const writerOf = (scopes: readonly Scope[] | null): Writer =>
  scopes === null ? "server" : scopes.includes("own") ? "owner" : "other";

/**
 * What a write adds to the session's row. A decision is not content, because reviewers need not be
 * owners.
 */
export type Addition = "content" | "decision" | "nothing";

/** The size that the session's row may reach. Operations that add nothing may use the reserve. */
export function rowCapacity(writer: Writer, adds: Addition): number {
  if (adds === "nothing") return LIMITS.rowBytes + LIMITS.rowReserveBytes;
  return writer === "other" && adds === "content" ? LIMITS.rowShareBytes : LIMITS.rowBytes;
}

/**
 * What clients and executors can add without limit. The end of a job is not included, because it
 * happens once.
 */
const isAppended = (type: string): boolean =>
  !isServerType(type) || type === "job.submitted" || type === "job.event";

/**
 * Types that contain text of their writer and can be repeated. Participants without `own` must not
 * use up the reserve with them.
 */
const CONTENT_TYPE_PATTERN =
  /^(fields|upload|lease|once)\.|^(session\.updated|stop\.reported|handoff\.(created|link_issued))$/;
const isContentType = (type: string): boolean =>
  isAppended(type) || CONTENT_TYPE_PATTERN.test(type);

/** The size that the log may reach. An append has no events here, because they are only text. */
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
