/**
 * Real time: what was answered before something else was asked comes before it in the log, and whoever
 * looks sees a state that was there at some moment between asking and being answered.
 */
import type { Operation, Span, Violation } from "./history.ts";
import { told } from "./assign.ts";

/** Commits by index, after which the state may have stood: from the last that was certainly there. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export class Timeline {
  readonly #owners: readonly (Operation | null)[];

  constructor(owners: readonly (Operation | null)[]) {
    this.#owners = owners.map((owner) => owner && withoutRefusal(owner));
  }

  window({ invoked, responded }: Span): Window {
    let from = 0;
    let to = this.#owners.length - 1;
    for (const [index, owner] of this.#owners.entries()) {
      if (owner === null) continue;
      if (owner.responded < invoked) from = index;
      if (owner.invoked > responded) {
        to = Math.min(to, index - 1);
        break;
      }
    }
    return { from, to };
  }

  /** Had this commit been asked for by then? */
  mayStandBy(index: number, time: number): boolean {
    const owner = this.#owners[index];
    return owner == null || owner.invoked <= time;
  }

  check(): readonly Violation[] {
    const found: Violation[] = [];
    let latest: Operation | null = null;
    for (const owner of this.#owners) {
      if (owner === null) continue;
      if (latest !== null && owner.responded < latest.invoked) {
        const what = `${told(owner)} was answered before ${told(latest)} was asked, and comes after it`;
        found.push({ rule: "real time", what });
      }
      if (latest === null || owner.invoked > latest.invoked) latest = owner;
    }
    return found;
  }
}

/**
 * What was refused and happened all the same was done by an attempt that got no answer, which may have
 * come in long after the refusal of another.
 */
const withoutRefusal = (owner: Operation): Operation =>
  owner.outcome.kind === "ok" ? owner : { ...owner, responded: Number.POSITIVE_INFINITY };
