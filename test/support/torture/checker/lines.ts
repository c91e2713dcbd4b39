/**
 * Tokens and versions in the order of the log: every accepted write spent the newest token of its
 * participant, and stood on the version that the accepted write before it made.
 */
import type { LoggedCommit, Operation, Violation } from "./history.ts";
import { told } from "./assign.ts";
import { known, nameOf, spendsToken } from "./operations.ts";
import type { Folded } from "./plain-fold.ts";

export interface Lines {
  /** What a participant has seen while this token is its newest. */
  seenWith(participant: number, token: number): number | undefined;
  /** Index of the commit that spent this token, or made it useless by coming later in the line. */
  spentAt(participant: number, token: number): number | undefined;
  /** Index of the first resume after this token was issued. */
  fencedAt(participant: number, token: number): number | undefined;
  readonly violations: readonly Violation[];
}

interface Hand {
  token: number;
  seen: number;
}

export function followLines(
  commits: readonly LoggedCommit[],
  owners: readonly (Operation | null)[],
  states: readonly Folded[],
): Lines {
  const violations: Violation[] = [];
  const report = (rule: string, what: string) => violations.push({ rule, what });
  const hands = new Map<number, Hand>();
  const seen = new Map<string, number>();
  const spending: { index: number; participant: number; first: number; isResume: boolean }[] = [];
  const issue = (participant: number, token: number, version: number): void => {
    hands.set(participant, { token, seen: version });
    seen.set(`${participant}:${token}`, version);
  };

  for (const [index, commit] of commits.entries()) {
    const { first, participant } = commit;
    const name = nameOf(commit);
    const after = states[index]?.version ?? 0;
    const before = states[index - 1]?.version ?? 0;
    if (name === "create") issue(1, first, after);
    const hand = participant === null ? undefined : hands.get(participant);
    const owner = owners[index];
    if (participant === null || name === null || name === "create" || hand === undefined) continue;
    const who = owner == null ? `seq ${first}` : told(owner);
    if (owner != null && owner.ifMatch !== null && owner.ifMatch !== before) {
      report(
        "versions are a chain",
        `${who} asked for ${owner.ifMatch}, the version was ${before}`,
      );
    }
    if (!spendsToken(commit)) continue;
    if (owner != null && owner.token !== hand.token) {
      const what = `${who} was accepted with token ${owner.token}, the newest was ${hand.token}`;
      report("a token is spent once", what);
    }
    const base = owner?.ifMatch ?? hand.seen;
    if (known(name).moves && base !== before) {
      report("versions are a chain", `${who} stood on ${base}, the version was ${before}`);
    }
    if (known(name).moves !== (after !== before)) {
      report("versions are a chain", `${who} led from version ${before} to ${after}`);
    }
    const sees = name === "resume" || after !== before ? after : hand.seen;
    issue(participant, first, sees);
    spending.push({ index, participant, first, isResume: name === "resume" });
    const made = name === "handoff" ? numberIn(commit) : null;
    if (made !== null) issue(made, first, after);
  }

  const firstAfter = (participant: number, token: number, isFence: boolean): number | undefined =>
    spending.find(
      (one) => one.participant === participant && one.first > token && (one.isResume || !isFence),
    )?.index;
  return {
    seenWith: (participant, token) => seen.get(`${participant}:${token}`),
    spentAt: (participant, token) => firstAfter(participant, token, false),
    fencedAt: (participant, token) => firstAfter(participant, token, true),
    violations,
  };
}

function numberIn({ events }: LoggedCommit): number | null {
  const created = events.find(({ type }) => type === "handoff.created");
  const found = /^par_(\d+)$/.exec(String(created?.payload["participant"]));
  return found === null ? null : Number(found[1]);
}
