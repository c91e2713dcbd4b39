/** What a run did, counted in groups. */
import type { History } from "./history.ts";
import type { Violation } from "./laws/law.ts";

type Group = "faults" | "operations" | "tried" | "answers" | "checked" | "readers" | "observed";

export class Figures {
  readonly #counts = new Map<Group, Map<string, number>>();
  readonly violations: (Violation & { readonly session: string })[] = [];

  count(group: Group, what: string, times = 1): void {
    const counts = this.#counts.get(group) ?? new Map<string, number>();
    this.#counts.set(group, counts.set(what, (counts.get(what) ?? 0) + times));
  }

  of(group: Group, what: string): number {
    return this.#counts.get(group)?.get(what) ?? 0;
  }

  total(group: Group): number {
    return [...(this.#counts.get(group)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  }

  found(session: string, violations: readonly Violation[]): void {
    for (const violation of violations) this.violations.push({ session, ...violation });
  }

  record(history: History, violations: readonly Violation[]): void {
    const { id, operations, commits, puts, stored, job, files, children, streams } = history;
    for (const { way, outcome, name } of operations) {
      this.count("operations", way);
      this.count("tried", name);
      this.count("answers", outcome.kind === "refused" ? outcome.code : outcome.kind);
      if (outcome.kind === "ok" && outcome.replayed === true) this.count("answers", "replayed");
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

  /** One line for the terminal during the run. */
  line(): string {
    return (
      `${this.total("operations")} operations, ${this.of("checked", "sessions")} sessions checked, ` +
      `${this.of("faults", "kill")} kills, ${this.total("faults")} faults, ` +
      `${this.violations.length} violations`
    );
  }

  /** The most frequent first. */
  toJson(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    const groups = [...this.#counts].map(([group, counts]) => {
      const sorted = [...counts].sort(([, a], [, b]) => b - a);
      return [group, Object.fromEntries(sorted)] as const;
    });
    return Object.fromEntries(groups);
  }
}
