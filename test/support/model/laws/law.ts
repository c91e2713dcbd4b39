/** A law holds in every history that a correct server can make. It knows none of the product's code. */
import type { Analysis } from "../analysis.ts";
import type { History, RunHistory } from "../history.ts";
import type { Observations } from "../observer.ts";

export interface Violation {
  readonly law: string;
  readonly what: string;
}

/** `check` describes every way in which the history breaks the law. */
interface LawOf<T extends readonly unknown[]> {
  readonly name: string;
  /** Clauses of docs/protocol.md. */
  readonly clauses: readonly string[];
  readonly check: (...args: T) => readonly string[];
}

/** About one session. */
export type Law = LawOf<[history: History, analysis: Analysis]>;
/** About all sessions of a run together, and what was observed around them. */
export type RunLaw = LawOf<[run: RunHistory]>;

export const law = (name: string, clauses: Law["clauses"], check: Law["check"]): Law => ({
  name,
  clauses,
  check,
});

/** Laws about one kind of observation. They hold if nothing of that kind was observed. */
export const lawsAbout =
  <K extends keyof Observations>(kind: K) =>
  (
    name: string,
    clauses: Law["clauses"],
    check: (observed: NonNullable<Observations[K]>, run: RunHistory) => readonly string[],
  ): RunLaw => ({
    name,
    clauses,
    check: (run) => {
      const observed = run.observations[kind];
      return observed == null ? [] : check(observed, run);
    },
  });
