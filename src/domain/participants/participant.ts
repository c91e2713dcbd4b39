/** A right to act, and its line of tokens. */
import type { Actor } from "./actor";
import type { Binding } from "./binding";
import { mergeFillers, type Identity } from "./identity";
import type { RequestHash, TokenHash } from "../ids";
import type { ClosePolicy } from "../jobs/job";
import type { JsonObject } from "../json";
import type { Scope } from "./scope";
import type { Terms } from "../links/terms";

/** The last accepted write of a participant: enough to answer the same request again. */
export interface LastWrite {
  readonly consumed: TokenHash;
  /** Null when the request carried no Idempotency-Key: then there is no replay. */
  readonly request: RequestHash | null;
  readonly outcome: JsonObject;
  /** Every secret the answer carried, sealed under a key only the holder of the spent token can make. */
  readonly sealed: Uint8Array | null;
}

/** The link through which a person holds the participant. */
export interface Link {
  /** Hash of the code; the code itself is nowhere. */
  readonly code: string;
  readonly singleUse: boolean;
  /** May be taken over on another device even after something was saved. */
  readonly takeover: boolean;
  /** The directory knows it: the second step of issuing is done. */
  readonly isListed: boolean;
  readonly openedAt: number | null;
  /** When the person last answered, or said no. */
  readonly answeredAt?: number;
  readonly declinedAt?: number;
  /** That it ended without an answer stands in the log. */
  readonly endTold?: true;
  readonly terms?: Terms;
  /** The title may be shown before the link is opened. */
  readonly showTitle?: true;
}

export interface Participant {
  readonly number: number;
  readonly actor: Actor;
  readonly scopes: readonly Scope[];
  readonly madeBy: number | null;
  readonly note: string | null;
  readonly createdAt: number;
  /** End of this participant's access, where a handoff set one. */
  readonly expiresAt: number | null;
  /** The newest token: the first seq of the commit that issued it, and its hash. */
  readonly tokenSeq: number;
  readonly tokenHash: TokenHash;
  /** Tokens issued before this seq are fenced off by a resume. */
  readonly fenceSeq: number;
  readonly seenVersion: number;
  readonly cursor: number;
  /** Created the session or changed its content: such a participant cannot approve it. */
  readonly filled: boolean;
  readonly last: LastWrite | null;
  /** Who filled with it, where an OpenID provider says so. */
  readonly filledAs?: readonly Identity[];
  /** Set for a person: the credential is a cookie that does not rotate, good only with the link. */
  readonly link?: Link;
  /** Set where a token alone is not enough. */
  readonly bind?: Binding;
  /** Endpoints that are told of its handoff, and its link, sealed for who delivers it. */
  readonly ring?: { readonly to: readonly string[]; readonly link?: string };
  /** When those who may act are reminded that it still waits. */
  readonly remindAt?: number;
  /** Set where the participant came over ARCP. */
  readonly arcp?: ArcpBinding;
}

export interface ArcpBinding {
  /** Hash of the bearer it began with: only the same one may resume. */
  readonly principal: string;
  /** What a goodbye does to jobs that say nothing of their own. */
  readonly closePolicy: ClosePolicy;
  /**
   * Tokens before the newest that stay good until one is known to have arrived: the one its holder
   * last used, and those given out since. A hello that was given up may still come in late.
   */
  readonly unconfirmed?: readonly TokenHash[];
  /** Jobs of other sessions that it watches, each with the seq up to which that log was copied. */
  readonly watching?: readonly { readonly jobId: string; readonly cursor: number }[];
}

/**
 * With a newer token, issued by the commit that begins at `seq`. A token that was still good because
 * its successor might not have arrived is good no longer, on whichever face it was spent.
 */
export function withToken(participant: Participant, seq: number, hash: TokenHash): Participant {
  const issued = { ...participant, tokenSeq: seq, tokenHash: hash };
  if (participant.arcp?.unconfirmed === undefined) return issued;
  const { unconfirmed: _, ...arcp } = participant.arcp;
  return { ...issued, arcp };
}

/**
 * What stays of one that was revoked: enough to know its tokens and its link again, who made it and
 * whether it filled. The words that were written for it are in the log, and give back their room in the session's row.
 */
export function clearedParticipant({ link, ...rest }: Participant): Participant {
  const bare = { ...rest, note: null, last: null };
  if (link === undefined) return bare;
  const { terms: _, ...bareLink } = link;
  return { ...bare, link: bareLink };
}

/** The participant and all that descend from it by handoff. */
export function withDescendants(
  roots: readonly number[],
  all: readonly Pick<Participant, "number" | "madeBy">[],
): readonly number[] {
  const found = new Set(roots);
  // Numbers grow with each handoff, so a maker always comes before those it made.
  for (const { number, madeBy } of [...all].sort((a, b) => a.number - b.number)) {
    if (madeBy !== null && found.has(madeBy)) found.add(number);
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * The topmost of the makers behind a participant that does not own the session, or itself. All that
 * come from it count as one: whatever one of them may not do, it cannot do through another.
 */
export function rootOf<T extends Pick<Participant, "number" | "madeBy" | "scopes">>(
  one: T,
  all: readonly T[],
): number {
  const maker = all.find(({ number }) => number === one.madeBy);
  return maker === undefined || maker.scopes.includes("own") ? one.number : rootOf(maker, all);
}

/** Has one of those who count as one with it filled? */
export function hasFilled(one: Participant, all: readonly Participant[]): boolean {
  const root = rootOf(one, all);
  return all.some((other) => other.filled && rootOf(other, all) === root);
}

/**
 * Without those who can no longer act and are to leave the row. That one of them filled goes over to
 * its maker, unless that one owns the session: who made it must not approve its work either. Those it
 * made and that stay no longer count as one with it, and so must have filled what it had.
 */
export function removeParticipants(
  gone: readonly number[],
  all: readonly Participant[],
): readonly Participant[] {
  // Children before their makers, so that what they filled goes up the whole line.
  return gone.toSorted((a, b) => b - a).reduce(removeParticipant, all);
}

function removeParticipant(all: readonly Participant[], number: number): readonly Participant[] {
  const leaving = all.find((one) => one.number === number);
  if (leaving === undefined) return all;
  const left = all.filter((one) => one !== leaving);
  const isShared = !leaving.scopes.includes("own") && hasFilled(leaving, all);
  const inherits = (one: Participant): boolean =>
    (leaving.filled && one.number === leaving.madeBy && !one.scopes.includes("own")) ||
    (isShared && one.madeBy === number);
  // Who filled with it is remembered by its maker, else by whoever has been there longest.
  const heir = left.find((one) => one.number === leaving.madeBy) ?? left[0];
  return left.map((one) => ({
    ...one,
    ...(inherits(one) ? { filled: true } : {}),
    ...(one === heir ? mergeFillers(one, leaving) : {}),
  }));
}
