/** Rights of a participant. `view` < `append` < `fill`; `own` implies all but `review`. */
export const SCOPES = ["view", "append", "fill", "review", "handoff", "own"] as const;
/** A right: `view` < `append` < `fill`; `review`; `handoff`; `own`, which implies all but review. */
export type Scope = (typeof SCOPES)[number];

/** Every right includes the right to view. */
const IMPLIED: Readonly<Record<Scope, readonly Scope[]>> = {
  view: ["view"],
  append: ["view", "append"],
  fill: ["view", "append", "fill"],
  review: ["view", "review"],
  handoff: ["view", "handoff"],
  own: ["view", "append", "fill", "handoff", "own"],
};

export const CREATOR_SCOPES: readonly Scope[] = IMPLIED.own;

/** All scopes that the given ones imply, in the order of the table. */
export function expandScopes(scopes: readonly Scope[]): readonly Scope[] {
  const implied = new Set(scopes.flatMap((scope) => IMPLIED[scope]));
  return SCOPES.filter((scope) => implied.has(scope));
}

interface Granter {
  readonly scopes: readonly Scope[];
  readonly filled: boolean;
}

/**
 * The requested scopes that the granter may not grant. A handoff is never wider than the granter's
 * own scopes, except that `handoff` may grant `review`. A granter that filled needs `own` for that;
 * otherwise the author of the work could appoint its reviewers.
 */
export function ungrantable(granter: Granter, requested: readonly Scope[]): readonly Scope[] {
  const grantable = new Set<Scope>(granter.scopes);
  const canAppointReviewers = !granter.filled || grantable.has("own");
  if (!canAppointReviewers) grantable.delete("review");
  else if (grantable.has("handoff")) grantable.add("review");
  return expandScopes(requested).filter((scope) => !grantable.has(scope));
}
