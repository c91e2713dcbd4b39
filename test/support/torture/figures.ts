/** What a run did, counted, and how it is shown. */
import type { Violation } from "./checker/history.ts";

const GROUPS = ["faults", "operations", "outcomes", "checked", "readers"] as const;
type Group = (typeof GROUPS)[number];

export interface Found extends Violation {
  readonly session: string;
}

export class Figures {
  readonly counts: Readonly<Record<Group, Map<string, number>>> = {
    faults: new Map(),
    operations: new Map(),
    outcomes: new Map(),
    checked: new Map(),
    readers: new Map(),
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
