/** A link that opens once is opened once, whoever presses at the same time. */
import type { LoggedCommit, Violation } from "./history.ts";
import { nameOf } from "./operations.ts";

export function checkLinks(commits: readonly LoggedCommit[]): readonly Violation[] {
  const issued = commits.flatMap(({ events }) =>
    events.filter(({ payload }) => payload["to"] === "human" && payload["singleUse"] === true),
  );
  return issued.flatMap(({ payload }) => {
    const participant = String(payload["participant"]);
    const openings = commits.filter(
      (commit) => nameOf(commit) === "openLink" && `par_${commit.participant}` === participant,
    );
    const what = `the link of ${participant} was opened ${openings.length} times`;
    return openings.length > 1 ? [{ rule: "a link opens once", what }] : [];
  });
}
