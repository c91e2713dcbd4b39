/** What trims took: client and job events only, and only below the floor that the log tells of. */
import type { LoggedCommit, Violation } from "./history.ts";

const RULE = "a trim takes only what may go";
const OF_THE_SERVER =
  /^(session|fields|review|upload|handoff|token|checkpoint|stop|resume|owner|endpoint|notice|wait|proof|private)\./;

export interface Trim {
  /** Of the commit that tells of it. */
  readonly index: number;
  readonly floor: number;
}

/** In the order of the log, without those that found nothing to take. */
export const trimsIn = (commits: readonly LoggedCommit[]): readonly Trim[] =>
  commits.flatMap(({ events }, index) =>
    events
      .filter(({ type, payload }) => type === "session.trimmed" && payload["outcome"] === "success")
      .map(({ payload }) => ({ index, floor: Number(payload["floor"]) })),
  );

export function checkTrims(commits: readonly LoggedCommit[]): readonly Violation[] {
  const trims = trimsIn(commits);
  const floor = trims.at(-1)?.floor ?? 0;
  const found = commits
    .filter(({ isTrimmed }) => isTrimmed === true)
    .flatMap(({ first, last, events }) => {
      const kept = events.find(({ type }) => OF_THE_SERVER.test(type));
      if (kept !== undefined) return [`seq ${first} is gone, and held ${kept.type}`];
      return last > floor ? [`seq ${first} to ${last} is gone, and the floor is ${floor}`] : [];
    });
  for (const [index, trim] of trims.entries()) {
    const before = trims[index - 1]?.floor ?? 0;
    if (trim.floor <= before) found.push(`the floor went from ${before} to ${trim.floor}`);
    const copy = copyBehind(commits[trim.index]);
    if (trim.floor > copy) found.push(`the floor ${trim.floor} is above its checkpoint at ${copy}`);
  }
  return found.map((what) => ({ rule: RULE, what }));
}

/** The seq of the checkpoint that bridges what a trim took. */
function copyBehind(commit: LoggedCommit | undefined): number {
  const told = commit?.events.find(({ type }) => type === "session.trimmed");
  return Number((told?.payload["checkpoint"] as { seq?: number } | undefined)?.seq ?? 0);
}
