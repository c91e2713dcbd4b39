/** The law that what is announced is what is committed: nothing more, nothing less, and as it stands. */
import type { Announced, Stored } from "./driver";

/** What breaks it, or null. Commits that were trimmed since were announced all the same. */
export function announcementProblem(
  announced: readonly Announced[],
  { events, head }: Pick<Stored, "events" | "head">,
): string | null {
  const told = new Map<number, string>();
  let last = 0;
  for (const commit of announced) {
    if (commit.first !== last + 1) return `after ${last} came ${commit.first}`;
    const lines = commit.text.split("\n");
    if (lines.length !== commit.last - last) return `${commit.first} tells ${lines.length} events`;
    for (const [index, line] of lines.entries()) told.set(commit.first + index, line);
    ({ last } = commit);
  }
  if (last !== head) return `announced up to ${last}, committed up to ${head}`;
  const other = events.find((event) => told.get(event.seq) !== JSON.stringify(event));
  return other === undefined ? null : `${other.seq} was announced as something else`;
}
