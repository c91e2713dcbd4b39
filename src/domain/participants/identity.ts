/**
 * Who somebody is, as an OpenID provider says. Where identities are known, separation of duty holds between
 * them: one person with two participants is still one person.
 */
import { tooLarge, type Failure } from "../failure";
import { LIMITS } from "../limits";
import type { Participant } from "./participant";

/** An alias, so that it can stand in a payload. */
export type Identity = {
  readonly issuer: string;
  readonly subject: string;
};

const isSame = (a: Identity | undefined, b: Identity): boolean =>
  a?.issuer === b.issuer && a.subject === b.subject;

/** What a participant's row remembers of who filled with it. */
export function withFiller(
  { filledAs = [] }: Pick<Participant, "filledAs">,
  filled: boolean,
  identity: Identity | undefined,
): Pick<Participant, "filledAs"> {
  const isNew = filled && identity !== undefined && !filledAs.some((one) => isSame(one, identity));
  const all = isNew ? [...filledAs, identity] : filledAs;
  return all.length === 0 ? {} : { filledAs: all };
}

/** What one remembers that takes over from another, each identity once. */
export function mergeFillers(
  { filledAs: own = [] }: Pick<Participant, "filledAs">,
  { filledAs: taken = [] }: Pick<Participant, "filledAs">,
): Pick<Participant, "filledAs"> {
  const isNew = (one: Identity): boolean => !own.some((other) => isSame(other, one));
  const all = [...own, ...taken.filter(isNew)];
  return all.length === 0 ? {} : { filledAs: all };
}

/** Everybody who filled, with whichever participant, each once. */
export const fillersOf = (participants: readonly Pick<Participant, "filledAs">[]) =>
  participants.reduce(mergeFillers, {}).filledAs ?? [];

/** Nobody who filled is forgotten to make room, since then they could approve: one too many is refused. */
export function fillersProblem(
  participants: readonly Pick<Participant, "filledAs">[],
  identity: Identity | undefined,
): Failure | null {
  if (identity === undefined) return null;
  const all = fillersOf(participants);
  return all.length < LIMITS.fillers || all.some((one) => isSame(one, identity))
    ? null
    : tooLarge("the number of identities that filled in the session", LIMITS.fillers);
}

interface ReviewIdentities {
  /** Reviewers must be known by their provider. */
  readonly identity?: boolean;
  readonly approvedBy: readonly { readonly identity?: Identity }[];
}

export const identityProblem = (
  { identity: isRequired }: Pick<ReviewIdentities, "identity">,
  identity: Identity | undefined,
): Failure | null =>
  isRequired === true && identity === undefined
    ? { code: "scope_denied", needed: "review", why: "identity_required" }
    : null;

/** Has this person filled, or approved already, as whichever participant? */
export function identityInvolvement(
  { approvedBy }: ReviewIdentities,
  participants: readonly Participant[],
  identity: Identity | undefined,
): "filled" | "approved" | null {
  if (identity === undefined) return null;
  if (fillersOf(participants).some((one) => isSame(one, identity))) return "filled";
  return approvedBy.some((one) => isSame(one.identity, identity)) ? "approved" : null;
}
