/**
 * The identity of a person, as an OpenID provider confirms it. If identities are known, separation
 * of duty applies to them: one person with two participants is still one person.
 */
import { tooLarge, type Failure } from "../failure";
import { LIMITS } from "../limits";
import type { Participant } from "./participant";

/** A type alias and not an interface, so that it is assignable to a payload. */
export type Identity = {
  readonly issuer: string;
  readonly subject: string;
};

const isSame = (a: Identity | undefined, b: Identity): boolean =>
  a?.issuer === b.issuer && a.subject === b.subject;

/** The identities that filled through this participant, with the new one if it filled. */
export function withFiller(
  { filledAs = [] }: Pick<Participant, "filledAs">,
  filled: boolean,
  identity: Identity | undefined,
): Pick<Participant, "filledAs"> {
  const isNew = filled && identity !== undefined && !filledAs.some((one) => isSame(one, identity));
  const all = isNew ? [...filledAs, identity] : filledAs;
  return all.length === 0 ? {} : { filledAs: all };
}

/** Merges the identities of a participant that takes over from another, each once. */
export function mergeFillers(
  { filledAs: own = [] }: Pick<Participant, "filledAs">,
  { filledAs: inherited = [] }: Pick<Participant, "filledAs">,
): Pick<Participant, "filledAs"> {
  const isNew = (one: Identity): boolean => !own.some((other) => isSame(other, one));
  const all = [...own, ...inherited.filter(isNew)];
  return all.length === 0 ? {} : { filledAs: all };
}

/** All identities that filled, through any participant, each once. */
export const fillersOf = (participants: readonly Pick<Participant, "filledAs">[]) =>
  participants.reduce(mergeFillers, {}).filledAs ?? [];

/**
 * Identities that filled are never dropped to make space, because they could then approve. One too
 * many is refused.
 */
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
  /** Reviewers must be identified by their provider. */
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

/** Whether this person has already filled or approved, through any participant. */
export function identityInvolvement(
  { approvedBy }: ReviewIdentities,
  participants: readonly Participant[],
  identity: Identity | undefined,
): "filled" | "approved" | null {
  if (identity === undefined) return null;
  if (fillersOf(participants).some((one) => isSame(one, identity))) return "filled";
  return approvedBy.some((one) => isSame(one.identity, identity)) ? "approved" : null;
}
