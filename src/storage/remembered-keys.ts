/**
 * The keyed appends among a session's last commits. Read from the log once, for the first append
 * with a key, and kept up to date from then on: searching the log for every keyed append would read
 * as many rows as are remembered.
 */
import type { RequestHash } from "../domain/ids";

export interface KeyedAppend {
  readonly first: number;
  readonly last: number;
  readonly request: RequestHash;
}

interface Entry extends KeyedAppend {
  /** Number of the commit, counted since the log was read. */
  readonly count: number;
}

const nameOf = (participant: number, key: string): string => `${participant} ${key}`;

export class RememberedKeys {
  readonly #reach: number;
  readonly #entries = new Map<string, Entry>();
  #count = 0;

  /** `reach` is the number of commits for which a key is remembered. */
  constructor(reach: number) {
    this.#reach = reach;
  }

  find(participant: number, key: string): KeyedAppend | null {
    const entry = this.#entries.get(nameOf(participant, key));
    if (entry === undefined || this.#isOut(entry)) return null;
    const { first, last, request } = entry;
    return { first, last, request };
  }

  /** Must be called for every commit, in order; commits without a key only age the others. */
  add(participant: number | null, key: string | null, append: KeyedAppend): void {
    this.#count += 1;
    for (const [name, entry] of this.#entries) {
      if (!this.#isOut(entry)) break;
      this.#entries.delete(name);
    }
    if (participant === null || key === null) return;
    const name = nameOf(participant, key);
    // Reinserted, so that the map stays in the order of the log.
    this.#entries.delete(name);
    this.#entries.set(name, { ...append, count: this.#count });
  }

  #isOut({ count }: Entry): boolean {
    return this.#count - count >= this.#reach;
  }
}
