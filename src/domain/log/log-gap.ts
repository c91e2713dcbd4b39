/**
 * Whether the log still has every event after a seq. Events may have been trimmed, or the seq may
 * be beyond the head.
 */
import { invalid, type Failure } from "../failure";
import type { Session } from "../session/session";

/** Why a replay after `after` is not possible, or null. */
export function gapProblem(
  { trimmed }: Session,
  after: number,
  head: number,
  name: string,
): Failure | null {
  if (after > head) return invalid(`${name} is ${after}, but the log ends at ${head}`, name);
  return trimmed !== null && after < trimmed.floor ? { code: "replay_gap", trimmed } : null;
}
