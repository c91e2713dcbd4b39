/** What a run did, counted. */
import type { History } from "./history.ts";
import type { Violation } from "./laws/law.ts";

const GROUPS = [
  "faults",
  "operations",
  "tried",
  "answers",
  "checked",
  "readers",
  "observed",
] as const;
type Group = (typeof GROUPS)[number];

export interface Found extends Violation {
  readonly session: string;
}

export class Figures {
  readonly counts: Readonly<Record<Group, Map<string, number>>> = {
    faults: new Map(),
    operations: new Map(),
    tried: new Map(),
    answers: new Map(),
    checked: new Map(),
    readers: new Map(),
    observed: new Map(),
  };
  readonly violations: Found[] = [];

  count(group: Group, what: string, times = 1): void {
    const counts = this.counts[group];
    counts.set(what, (counts.get(what) ?? 0) + times);
  }

  of(group: Group, what: string): number {
    return this.counts[group].get(what) ?? 0;
  }

  total(group: Group): number {
    return [...this.counts[group].values()].reduce((sum, count) => sum + count, 0);
  }

  found(session: string, violations: readonly Violation[]): void {
    for (const violation of violations) this.violations.push({ session, ...violation });
  }

  /** Counts what a history holds. */
  record(
    { id, operations, commits, puts, stored, job, files, children, streams }: History,
    violations: readonly Violation[],
  ): void {
    for (const { way, outcome, name } of operations) {
      this.count("operations", way);
      this.count("tried", name);
      this.count("answers", outcome.kind === "refused" ? outcome.code : outcome.kind);
      if (outcome.kind === "ok" && outcome.replayed === true)
        this.count("answers", "of these replayed");
    }
    for (const { outcome } of puts) {
      this.count("operations", "file");
      this.count("answers", `file ${outcome}`);
    }
    for (const { id: reader, connections, events } of streams) {
      if (connections === undefined) continue;
      this.count("readers", reader);
      this.count("readers", `${reader}: connections`, connections);
      this.count("readers", `${reader}: events`, (job?.received ?? events).length);
    }
    this.count("checked", job === undefined ? "sessions" : "ARCP sessions");
    if (job === undefined) this.count("checked", `ended ${stored?.state}`);
    this.count("checked", "commits", commits.length);
    this.count("checked", "events", stored?.head ?? 0);
    this.count("checked", "files", files.length);
    this.count("checked", "children", children.length);
    this.count("checked", "commits trimmed", commits.filter(({ isTrimmed }) => isTrimmed).length);
    this.found(id, violations);
  }

  /** One line for the terminal while it runs. */
  line(): string {
    const { faults } = this.counts;
    return (
      `${this.total("operations")} operations, ${this.of("checked", "sessions")} sessions checked, ` +
      `${faults.get("kill") ?? 0} kills, ${this.total("faults")} faults, ` +
      `${this.violations.length} violations`
    );
  }

  toJson(): Readonly<Record<Group, Readonly<Record<string, number>>>> {
    return Object.fromEntries(
      GROUPS.map((group) => {
        const sorted = [...this.counts[group]].sort(([, a], [, b]) => b - a);
        return [group, Object.fromEntries(sorted)];
      }),
    ) as Readonly<Record<Group, Readonly<Record<string, number>>>>;
  }
}
