/** Whether the log can still be replayed from a place in it. */
import { invalid, type Failure } from "../failure";
import type { Session } from "../session/session";

/** Why a replay after `after` is not possible, or null. */
export function replayProblem(
  { trimmed }: Session,
  after: number,
  head: number,
  name: string,
): Failure | null {
  if (after > head) return invalid(`${name} is ${after}, but the log ends at ${head}`, name);
  return trimmed !== null && after < trimmed.floor ? { code: "replay_gap", trimmed } : null;
}
