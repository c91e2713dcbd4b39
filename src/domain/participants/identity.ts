/**
 * Who somebody is, as an OpenID provider says. Where identities are known, separation of duty holds between
 * them: one person with two participants is still one person.
 */
import type { Failure } from "../failure";
import type { Participant } from "./participant";

/** An alias, so that it can stand in a payload. */
export type Identity = {
  readonly issuer: string;
  readonly subject: string;
};

/** Remembered of one participant: more than one person shares a token only by mistake. */
const REMEMBERED = 16;

const isSame = (a: Identity | undefined, b: Identity): boolean =>
  a?.issuer === b.issuer && a.subject === b.subject;

/** What a participant's row remembers of who filled with it. */
export function filledBy(
  { filledAs = [] }: Pick<Participant, "filledAs">,
  filled: boolean,
  identity: Identity | undefined,
): Pick<Participant, "filledAs"> {
  const isNew = filled && identity !== undefined && !filledAs.some((one) => isSame(one, identity));
  const all = isNew ? [...filledAs, identity].slice(-REMEMBERED) : filledAs;
  return all.length === 0 ? {} : { filledAs: all };
}

/** What one remembers that takes over from another, each identity once. */
export function joined(
  { filledAs: own = [] }: Pick<Participant, "filledAs">,
  { filledAs: taken = [] }: Pick<Participant, "filledAs">,
): Pick<Participant, "filledAs"> {
  const isNew = (one: Identity): boolean => !own.some((other) => isSame(other, one));
  const all = [...own, ...taken.filter(isNew)];
  return all.length === 0 ? {} : { filledAs: all };
}

interface Reviewed {
  /** Reviewers must be known by their provider. */
  readonly identity?: boolean;
  readonly approvedBy: readonly { readonly identity?: Identity }[];
}

export const identityRequired = (
  { identity: isRequired }: Pick<Reviewed, "identity">,
  identity: Identity | undefined,
): Failure | null =>
  isRequired === true && identity === undefined
    ? { code: "scope_denied", needed: "review", why: "identity_required" }
    : null;

/** Has this person filled, or approved already, as whichever participant? */
export function identityStanding(
  { approvedBy }: Reviewed,
  participants: readonly Participant[],
  identity: Identity | undefined,
): "filled" | "approved" | null {
  if (identity === undefined) return null;
  const all = participants.flatMap(({ filledAs = [] }) => filledAs);
  if (all.some((one) => isSame(one, identity))) return "filled";
  return approvedBy.some((one) => isSame(one.identity, identity)) ? "approved" : null;
}
