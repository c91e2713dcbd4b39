/** The log by itself: dense, free of contradiction, over when the session is, and its fold is what is stored. */
import { difference } from "../fold.ts";
import { canonical, type History } from "../history.ts";
import { operationOf, TERMINAL } from "../operations.ts";
import { law, type Law } from "./law.ts";

export const LOG_LAWS: readonly Law[] = [
  law("the log has no gaps", ["E-1"], ({ commits }) => {
    const found: string[] = [];
    let next = 1;
    for (const { first, last, events } of commits) {
      const numbers = events.map(({ seq }) => seq).join(", ");
      const expected = events.map((_, index) => next + index).join(", ");
      if (first !== next || last !== next + events.length - 1 || numbers !== expected) {
        found.push(`after ${next - 1} comes ${numbers}`);
      }
      next = last + 1;
    }
    return found;
  }),
  law("an event names the participant that wrote it", ["E-15"], ({ commits }) =>
    commits.flatMap(({ participant, events }) => {
      const author = participant === null ? null : `par_${participant}`;
      return events
        .filter((event) => event.participant !== author)
        .map(({ seq, participant: named }) => `event ${seq} of ${author} names ${named}`);
    }),
  ),
  law(
    "the stored session is the fold of its log",
    ["E-2", "Y-2"],
    ({ stored }, { states, problems }) => {
      const folded = states.at(-1);
      if (stored === null || folded === undefined) return ["there is no session, or it has no log"];
      const differs = difference(stored, folded);
      const end = folded.expiresAt;
      return [
        ...problems,
        ...(differs === null ? [] : [differs]),
        ...(stored.expiresAt === end
          ? []
          : [`stored to expire at ${stored.expiresAt}, by its log at ${end}`]),
      ];
    },
  ),
  law("the product's fold agrees", ["E-2", "Y-2"], ({ productFold }) =>
    productFold === undefined || canonical(productFold.stored) === canonical(productFold.folded)
      ? []
      : [`stored ${canonical(productFold.stored)}, folded ${canonical(productFold.folded)}`],
  ),
  law("nothing follows the end", ["S-1", "X-1"], ({ commits }, { states }) => {
    const end = states.findIndex(({ state }) => TERMINAL.has(state));
    // These change nothing of the session.
    const isAllowed = new Set(["fork", "setLabels", "erasePrivate"]);
    const after =
      end < 0
        ? undefined
        : commits.slice(end + 1).find((one) => !isAllowed.has(operationOf(one) ?? ""));
    return after === undefined
      ? []
      : [`seq ${after.first} follows the end at ${commits[end]?.last}`];
  }),
  law("announcements are commits", ["N-2"], announcementProblems),
];

/** What is announced is what is committed: nothing more, nothing less, and in the same words. */
export function announcementProblems({
  announcements,
  commits,
}: Pick<History, "announcements" | "commits">): readonly string[] {
  if (announcements === undefined) return [];
  const announced = new Map<number, string>();
  let last = 0;
  for (const commit of announcements) {
    if (commit.first !== last + 1) return [`after ${last} came ${commit.first}`];
    const lines = commit.text.split("\n");
    if (lines.length !== commit.last - last) return [`${commit.first} has ${lines.length} events`];
    for (const [index, line] of lines.entries()) announced.set(commit.first + index, line);
    ({ last } = commit);
  }
  const head = commits.at(-1)?.last ?? 0;
  if (last !== head) return [`announced up to ${last}, committed up to ${head}`];
  const other = commits
    .flatMap(({ events }) => events)
    .find((event) => announced.get(event.seq) !== JSON.stringify(event));
  return other === undefined ? [] : [`${other.seq} was announced as something else`];
}
