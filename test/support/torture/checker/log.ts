/** The log by itself: dense, free of contradiction, over when the session is, and its fold is what is stored. */
import type { SessionHistory, Violation } from "./history.ts";
import { isAfterlife, TERMINAL } from "./operations.ts";
import { difference, type Folded } from "./plain-fold.ts";

export function checkLog(
  { commits, stored }: Pick<SessionHistory, "commits" | "stored">,
  states: readonly Folded[],
): readonly Violation[] {
  const found: Violation[] = [];
  let next = 1;
  for (const { first, last, events } of commits) {
    const numbers = events.map(({ seq }) => seq);
    const expected = events.map((_, index) => next + index);
    if (first !== next || last !== next + events.length - 1 || `${numbers}` !== `${expected}`) {
      found.push({ rule: "dense log", what: `after ${next - 1} comes ${numbers.join(", ")}` });
    }
    next = last + 1;
  }
  const end = states.findIndex(({ state }) => TERMINAL.has(state));
  const after = end < 0 ? undefined : commits.slice(end + 1).find((one) => !isAfterlife(one));
  if (after !== undefined) {
    const what = `seq ${after.first} follows the end at ${commits[end]?.last}`;
    found.push({ rule: "nothing after the end", what });
  }
  const folded = states.at(-1);
  if (stored === null || folded === undefined) {
    found.push({ rule: "fold is the state", what: "there is no session, or it has no log" });
    return found;
  }
  const differs = difference(stored, folded);
  if (differs !== null) found.push({ rule: "fold is the state", what: differs });
  if (stored.expiresAt !== folded.expiresAt) {
    const what = `stored to expire at ${stored.expiresAt}, by its log at ${folded.expiresAt}`;
    found.push({ rule: "fold is the state", what });
  }
  return found;
}
