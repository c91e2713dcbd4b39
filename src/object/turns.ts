/**
 * Who loses a race for the version is answered in turn. Were all losers shown the session at once, all
 * would try again at once, and all but one would lose again. So the first is answered at once and has
 * the next write to itself for a moment; the others are answered one after the other, each with the
 * session as it is by then. Whoever loses alone never waits.
 */
import { isMoved } from "../domain/failure";
import { LIMITS } from "../domain/limits";

interface Reply {
  readonly ok: boolean;
  readonly failure?: { readonly code: string };
}

const isLost = ({ failure }: Reply): boolean => failure !== undefined && isMoved(failure);

export class Turns {
  readonly #line: (() => void)[] = [];
  #turn: ReturnType<typeof setTimeout> | null = null;

  /** Runs `write`, which waits for nothing; if it loses, once more when it is its turn to be answered. */
  async run<T extends Reply>(write: () => T): Promise<T> {
    const reply = write();
    if (!isLost(reply)) {
      if (reply.ok) this.#next();
      return reply;
    }
    if (this.#turn === null) {
      this.#begin();
      return reply;
    }
    if (this.#line.length >= LIMITS.waitingLosers) return reply;
    await new Promise<void>((settle) => this.#line.push(settle));
    return write();
  }

  #begin(): void {
    this.#turn = setTimeout(() => this.#next(), LIMITS.turnMs);
  }

  /** The session has moved, or the one whose turn it was has not come back. */
  #next(): void {
    if (this.#turn === null) return;
    clearTimeout(this.#turn);
    this.#turn = null;
    const answer = this.#line.shift();
    if (answer === undefined) return;
    this.#begin();
    answer();
  }
}
