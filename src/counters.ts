/**
 * Counters of this process, for a self-hosted server whose only process serves everything. They start at
 * zero with the process, as Prometheus expects of counters. On Cloudflare there are many processes, and
 * Analytics Engine counts instead.
 */
import type { CounterIncrement } from "./observe/commit-counters";

export class Counters {
  /** False until a request shows that /metrics is configured: until then nothing is counted. */
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
