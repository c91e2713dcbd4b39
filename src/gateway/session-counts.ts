/** How many sessions the listed owners have in each state now, summed: names of owners stay inside. */
import type { Env } from "../env";
import type { Caller } from "./caller";
import { ownerNames } from "./owner-keys";
import { SessionCalls } from "./session-calls";

/** Past every hour that a directory has noted, so that it answers with what is now. */
const NOW = Number.MAX_SAFE_INTEGER;

export async function countSessions(
  env: Env,
  caller: Caller,
): Promise<ReadonlyMap<string, number>> {
  const { objects } = new SessionCalls(env, caller);
  const overviews = await Promise.all(
    ownerNames(env).map((name) => objects.ownerDirectory(name, "overview", [NOW], 0)),
  );
  const sums = new Map<string, number>();
  for (const overview of overviews) {
    // A directory that cannot be asked in time is missing in this scrape and back in the next.
    const states = overview.ok ? (overview.value.states[0]?.states ?? {}) : {};
    for (const [state, n] of Object.entries(states)) sums.set(state, (sums.get(state) ?? 0) + n);
  }
  return sums;
}
