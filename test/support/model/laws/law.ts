/** A law holds in every history that a correct server can make. It knows none of the product's code. */
import type { Analysis } from "../analysis.ts";
import type { History, RunHistory } from "../history.ts";

export interface Violation {
  readonly law: string;
  readonly what: string;
}

export interface Law {
  readonly name: string;
  /** The clauses of docs/protocol.md that it is about. */
  readonly clauses: readonly string[];
  /** Every way in which the history breaks the law, in words. */
  check(history: History, analysis: Analysis): readonly string[];
}

/** About all sessions of a run together, and what was observed around them. */
export interface RunLaw {
  readonly name: string;
  readonly clauses: readonly string[];
  check(run: RunHistory): readonly string[];
}
