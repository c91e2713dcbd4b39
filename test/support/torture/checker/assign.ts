/**
 * Whose each commit is. Every acknowledged write has one commit, no two have the same, and a commit
 * that nobody was told of must be one of a request that was never answered: each such at most once.
 */
import type { LoggedCommit, Operation, SessionHistory, Violation } from "./history.ts";
import { carries, nameOf } from "./operations.ts";

export interface Assignment {
  /** For each commit the operation that made it; null for the server's own and for what nobody asked for. */
  readonly owners: readonly (Operation | null)[];
  readonly violations: readonly Violation[];
}

export function assign({ commits, operations }: SessionHistory): Assignment {
  const violations: Violation[] = [];
  const owners: (Operation | null)[] = commits.map(() => null);
  const report = (rule: string, what: string) => violations.push({ rule, what });
  const places = new Map(commits.map(({ first }, index) => [first, index]));

  for (const operation of operations) {
    if (operation.outcome.kind !== "ok") continue;
    const named = operation.outcome.commit;
    const index = named === null ? placeByMark(commits, operation) : places.get(named);
    const commit = index === undefined ? undefined : commits[index];
    if (index === undefined || commit === undefined || !isOf(commit, operation)) {
      const what = `${told(operation)} was acknowledged as ${named} and is not there`;
      report("acknowledged writes are kept", what);
    } else if (owners[index] === null) owners[index] = operation;
    else {
      const other = told(owners[index] as Operation);
      report("one commit a write", `${told(operation)} and ${other} were given the same commit`);
    }
  }

  const open = new Set(operations.filter(mayHaveHappened));
  for (const [index, commit] of commits.entries()) {
    if (owners[index] !== null || commit.participant === null) continue;
    // Where nothing else tells two apart, it is one that asked for the version that was there, and of
    // these the one with the newest token.
    const version = commits[index - 1]?.events.at(-1)?.version ?? 0;
    const fits = ({ ifMatch }: Operation) => (ifMatch === null || ifMatch === version ? 1 : 0);
    const [maker] = [...open]
      .filter((operation) => isOf(commit, operation))
      .sort((one, other) => fits(other) - fits(one) || other.token - one.token);
    if (maker !== undefined) {
      owners[index] = maker;
      open.delete(maker);
      continue;
    }
    const again = operations.find((operation) => isOf(commit, operation));
    const why = again === undefined ? "nobody asked for it" : `a second time ${told(again)}`;
    const what = `seq ${commit.first}, ${nameOf(commit)} of participant ${commit.participant}: ${why}`;
    report("every write at most once", what);
  }
  return { owners, violations };
}

function placeByMark(commits: readonly LoggedCommit[], operation: Operation): number | undefined {
  const index = commits.findIndex((commit) => isOf(commit, operation));
  return index < 0 ? undefined : index;
}

const mayHaveHappened = ({ outcome, hasLostAttempt }: Operation): boolean =>
  outcome.kind === "unknown" || (outcome.kind === "refused" && hasLostAttempt);

function isOf(commit: LoggedCommit, { participant, name, mark, token }: Operation): boolean {
  return (
    commit.participant === participant &&
    nameOf(commit) === name &&
    commit.first > token &&
    (mark === null || carries(commit, mark))
  );
}

export const told = ({ id, name }: Operation): string => `${name} (${id})`;
