/** Who was revoked, and from which commit on: it writes nothing and is shown nothing after that. */
import type { LoggedCommit, Operation, SessionHistory, Violation } from "./history.ts";
import { told } from "./assign.ts";
import { nameOf } from "./operations.ts";
import type { Folded } from "./plain-fold.ts";

/** For each participant the index of the commit that revoked it. */
export function revocations(commits: readonly LoggedCommit[]): ReadonlyMap<number, number> {
  const fallen = new Map<number, number>();
  const makers = new Map<number, number>();
  for (const [index, { events }] of commits.entries()) {
    for (const { type, payload } of events) {
      const made = numberOf(payload["participant"]);
      const maker = numberOf(payload["madeBy"]);
      if (type.startsWith("handoff.") && made !== null && maker !== null) makers.set(made, maker);
      if (type !== "handoff.revoked") continue;
      for (const name of payload["participants"] as readonly unknown[]) {
        const number = numberOf(name);
        if (number !== null && !fallen.has(number)) fallen.set(number, index);
      }
    }
  }
  // Those whom it had made by then fall with it, whether or not the event names them.
  for (const [made] of makers) {
    for (let one = makers.get(made); one !== undefined; one = makers.get(one)) {
      const at = fallen.get(one);
      if (at !== undefined && at < (fallen.get(made) ?? Infinity)) fallen.set(made, at);
    }
  }
  return fallen;
}

const numberOf = (name: unknown): number | null => {
  const found = /^par_(\d+)$/.exec(String(name));
  return found === null ? null : Number(found[1]);
};

export function checkRevoked(
  { commits, reads }: SessionHistory,
  owners: readonly (Operation | null)[],
  states: readonly Folded[],
): readonly Violation[] {
  const fallen = revocations(commits);
  const rule = "the revoked are let in nowhere";
  const late = commits.flatMap((commit, index) => {
    const at = commit.participant === null ? undefined : fallen.get(commit.participant);
    if (at === undefined || index <= at) return [];
    const owner = owners[index];
    const who = owner == null ? `seq ${commit.first}, ${nameOf(commit)}` : told(owner);
    return [
      { rule, what: `${who} of participant ${commit.participant} came after it was revoked` },
    ];
  });
  const shown = reads.flatMap(({ id, participant, shown: { head } }) => {
    const at = fallen.get(participant);
    const isLate = at !== undefined && head >= (states[at]?.head ?? Infinity);
    return isLate
      ? [{ rule, what: `${id} was shown head ${head}, with its revocation in it` }]
      : [];
  });
  return [...late, ...shown];
}
