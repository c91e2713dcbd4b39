/**
 * Counters of this process, for a self-hosted server whose one process serves everything. They begin
 * at zero with it, which is what Prometheus expects of counters. On Cloudflare there are many
 * processes, and Analytics Engine counts instead.
 */
import type { CounterIncrement } from "./observe/commit-counters";

export class Counters {
  /** False until a request has shown that somebody may read them: then nothing is built for them. */
  isEnabled = false;
  readonly #counts = new Map<string, Map<string, number>>();

  add({ name, labels, amount }: CounterIncrement): void {
    const series = this.#counts.get(name) ?? new Map<string, number>();
    this.#counts.set(name, series);
    const key = Object.entries(labels)
      .map(([label, value]) => `${label}="${escaped(value)}"`)
      .join(",");
    series.set(key, (series.get(key) ?? 0) + amount);
  }

  /** `[labels, value]` of each series of a counter. */
  seriesOf(name: string): Iterable<readonly [string, number]> {
    return this.#counts.get(name) ?? [];
  }
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

export const counters = new Counters();
