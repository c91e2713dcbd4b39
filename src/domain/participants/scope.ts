/** Rights of a participant. `view` < `append` < `fill`; `own` implies all but `review`. */
export const SCOPES = ["view", "append", "fill", "review", "handoff", "own"] as const;
/** A right: `view` < `append` < `fill`; `review`; `handoff`; `own`, which implies all but review. */
export type Scope = (typeof SCOPES)[number];

/** Everyone who may do anything may look at what they act on. */
const IMPLIED: Readonly<Record<Scope, readonly Scope[]>> = {
  view: ["view"],
  append: ["view", "append"],
  fill: ["view", "append", "fill"],
  review: ["view", "review"],
  handoff: ["view", "handoff"],
  own: ["view", "append", "fill", "handoff", "own"],
};

export const CREATOR_SCOPES: readonly Scope[] = IMPLIED.own;

/** All that the given scopes imply, in table order and once each. */
export function expandScopes(scopes: readonly Scope[]): readonly Scope[] {
  const implied = new Set(scopes.flatMap((scope) => IMPLIED[scope]));
  return SCOPES.filter((scope) => implied.has(scope));
}

interface Granter {
  readonly scopes: readonly Scope[];
  readonly filled: boolean;
}

/**
 * What in `wanted` the giver may not pass on. A handoff is never wider than oneself, except that
 * `handoff` may grant `review` to somebody else, and who filled only with `own`: else the maker of the
 * work could make its reviewers.
 */
export function ungrantable(giver: Granter, wanted: readonly Scope[]): readonly Scope[] {
  const grantable = new Set<Scope>(giver.scopes);
  const isJudge = !giver.filled || grantable.has("own");
  if (!isJudge) grantable.delete("review");
  else if (grantable.has("handoff")) grantable.add("review");
  return expandScopes(wanted).filter((scope) => !grantable.has(scope));
}
