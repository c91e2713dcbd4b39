/** Counts what the listed owners have now, for the operator: numbers only, no content of any session. */
import { isTerminal, type State } from "../domain/session/state";
import type { Env } from "../env";
import type { Caller } from "./caller";
import { ownerNames, quotasOf } from "./owner-keys";
import { SessionCalls } from "./session-calls";

export interface OwnerCounts {
  readonly owner: string;
  /** Sessions by state. */
  readonly state: Readonly<Record<string, number>>;
  readonly open: number;
  readonly openQuota: number | null;
  readonly waits: readonly {
    readonly for: string;
    readonly count: number;
    readonly seconds: number;
  }[];
  /** Endpoints by status. */
  readonly status: Readonly<Record<string, number>>;
}

/** Later than every hour that a directory has recorded, so that it returns the current numbers. */
const NOW = Number.MAX_SAFE_INTEGER;

export async function countByOwner(env: Env, caller: Caller): Promise<readonly OwnerCounts[]> {
  const { objects } = new SessionCalls(env, caller);
  const quotas = quotasOf(env);
  const counts = ownerNames(env).map(async (owner): Promise<readonly OwnerCounts[]> => {
    const overview = await objects.ownerDirectory(owner, "overview", [NOW], 1);
    // A directory that does not answer in time is missing in this scrape and back in the next.
    if (!overview.ok) return [];
    const { states, waits, endpoints } = overview.value;
    const state = states[0]?.states ?? {};
    const open = Object.entries(state).filter(([name]) => !isTerminal(name as State));
    return [
      {
        owner,
        state,
        open: open.reduce((sum, [, n]) => sum + n, 0),
        openQuota: quotas[owner]?.openSessions ?? null,
        waits: waits.map(({ for: kind, count, longest }) => ({
          for: kind,
          count,
          seconds: secondsSince(longest[0]?.waiting?.since),
        })),
        status: endpoints,
      },
    ];
  });
  return (await Promise.all(counts)).flat();
}

const secondsSince = (time: string | undefined): number =>
  time === undefined ? 0 : Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
