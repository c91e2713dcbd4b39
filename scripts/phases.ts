/** The duration of each phase of a start, for `npm start -- --timing`. */
export class Phases {
  readonly #lines: (readonly [name: string, ms: number])[] = [];
  // Since the start of the process, which includes loading Node and the first modules.
  #last = 0;

  ended(name: string): void {
    const now = performance.now();
    this.#lines.push([name, now - this.#last]);
    this.#last = now;
  }

  text(): string {
    const rows = [...this.#lines, ["in all", this.#last] as const];
    const width = Math.max(...rows.map(([name]) => name.length));
    return ["Start:", ...rows.map((row) => lineOf(row, width))].join("\n");
  }
}

const lineOf = ([name, ms]: readonly [string, number], width: number): string =>
  `  ${name.padEnd(width)}  ${ms.toFixed(0).padStart(6)} ms`;
