/**
 * Is a history of accepted writes one chain? Complete for strict optimistic concurrency: each
 * write's base must be the version that the accepted write before it made.
 */
export interface AcceptedMove {
  readonly by: number | null;
  /** The version its participant had seen, or vouched for with If-Match. */
  readonly base: number;
  readonly made: number;
}

/** What breaks the chain, in words, or null. Moves come in the order of their versions. */
export function chainProblem(created: number, moves: readonly AcceptedMove[]): string | null {
  let version = created;
  for (const { by, base, made } of moves) {
    if (base !== version) {
      return `participant ${by} made ${made} on top of ${base}, but the version was ${version}`;
    }
    if (made <= base) return `participant ${by} made ${made}, which is not after ${base}`;
    version = made;
  }
  return null;
}
