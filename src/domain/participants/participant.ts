/** A participant: a right to act on the session, and its token line. */
import type { Actor } from "./actor";
import type { Binding } from "./binding";
import { mergeFillers, type Identity } from "./identity";
import type { RequestHash, TokenHash } from "../ids";
import type { ClosePolicy } from "../jobs/job";
import type { JsonObject } from "../json";
import type { Scope } from "./scope";
import type { Terms } from "../links/terms";
import type { ParticipantTerms } from "../log/payloads";

/** The last accepted write of a participant, stored so that the same request gets the same response. */
export interface LastWrite {
  readonly consumed: TokenHash;
  /** Null if the request had no Idempotency-Key. Then there is no replay. */
  readonly request: RequestHash | null;
  readonly outcome: JsonObject;
  /**
   * The secrets of the response, sealed with a key that only the holder of the spent token can
   * derive.
   */
  readonly sealed: Uint8Array | null;
}

/** The link through which a person holds the participant. */
export interface Link {
  /** Hash of the code. The code itself is not stored. */
  readonly code: string;
  readonly singleUse: boolean;
  /** Another device may take over even after something was saved. */
  readonly takeover: boolean;
  /** The directory has the link, so the second step of issuing is done. */
  readonly isListed: boolean;
  readonly openedAt: number | null;
  /** When the person last answered, or declined. */
  readonly answeredAt?: number;
  readonly declinedAt?: number;
  /** The log already has the event that it ended without an answer. */
  readonly endTold?: true;
  readonly terms?: Terms;
  /** The title may be shown before the link is opened. */
  readonly showTitle?: true;
}

/** A lease that was taken. Whether it is still held, leases/lease.ts decides. */
export interface Lease {
  readonly name: string;
  /** The seq of its `lease.taken`. */
  readonly number: number;
  readonly expiresAt: number;
}

export interface Participant {
  readonly number: number;
  readonly actor: Actor;
  readonly scopes: readonly Scope[];
  readonly madeBy: number | null;
  readonly note: string | null;
  readonly createdAt: number;
  /** When this participant's access ends, if the handoff set an end. */
  readonly expiresAt: number | null;
  /** The newest token: the first seq of the commit that issued it, and its hash. */
  readonly tokenSeq: number;
  readonly tokenHash: TokenHash;
  /** Tokens issued before this seq are fenced off by a resume. */
  readonly fenceSeq: number;
  readonly seenVersion: number;
  readonly cursor: number;
  /** It created the session or changed its content, so it cannot approve it. */
  readonly filled: boolean;
  readonly last: LastWrite | null;
  /** The identities that filled through it, if an OpenID provider confirmed them. */
  readonly filledAs?: readonly Identity[];
  /**
   * Set for a person. The credential is a cookie that does not rotate and is valid only for the
   * link.
   */
  readonly link?: Link;
  /** Set if its handoff narrows it to some fields or types of events. */
  readonly terms?: ParticipantTerms;
  /** Set if the token is bound. */
  readonly bind?: Binding;
  /** The endpoints that its handoff notifies, and its link, sealed for the Worker that delivers. */
  readonly ring?: { readonly to: readonly string[]; readonly link?: string };
  /** When to send a reminder that its handoff is still open. */
  readonly remindAt?: number;
  /** Set if the participant came over ARCP. */
  readonly arcp?: ArcpBinding;
  /** The leases that it took. */
  readonly leases?: readonly Lease[];
}

export interface ArcpBinding {
  /** Hash of the bearer that created it. Only the same bearer may resume. */
  readonly principal: string;
  /** What a close does to jobs that have no policy of their own. */
  readonly closePolicy: ClosePolicy;
  /**
   * Earlier tokens that stay valid until a newer one is confirmed: the one its holder last used,
   * and those issued since. A hello that the client gave up on may still arrive late.
   */
  readonly unconfirmed?: readonly TokenHash[];
  /** Jobs of other sessions that it watches, each with the seq up to which their log was copied. */
  readonly watching?: readonly { readonly jobId: string; readonly cursor: number }[];
}

/**
 * Sets a newer token, issued by the commit that starts at `seq`. Earlier tokens that were valid
 * only because the newer one might not have arrived become invalid, on whichever face it was spent.
 */
export function withToken(participant: Participant, seq: number, hash: TokenHash): Participant {
  const issued = { ...participant, tokenSeq: seq, tokenHash: hash };
  if (participant.arcp?.unconfirmed === undefined) return issued;
  const { unconfirmed: _, ...arcp } = participant.arcp;
  return { ...issued, arcp };
}

/**
 * What stays of a revoked participant: enough to recognise its tokens and its link, its maker, and
 * whether it filled. Texts written for it are in the log, so they need no space in the session's
 * row.
 */
export function clearedParticipant(participant: Participant): Participant {
  const { link, terms: _, leases: ___, ...rest } = participant;
  const bare = { ...rest, note: null, last: null };
  if (link === undefined) return bare;
  const { terms: __, ...bareLink } = link;
  return { ...bare, link: bareLink };
}

/** The given participants and all their descendants by handoff. */
export function withDescendants(
  roots: readonly number[],
  all: readonly Pick<Participant, "number" | "madeBy">[],
): readonly number[] {
  const found = new Set(roots);
  // Numbers grow with each handoff, so a maker comes before the participants it made.
  for (const { number, madeBy } of [...all].sort((a, b) => a.number - b.number)) {
    if (madeBy !== null && found.has(madeBy)) found.add(number);
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * The topmost ancestor of a participant without `own`, or the participant itself. All its
 * descendants count as one: what one of them may not do, it cannot do through another.
 */
export function rootOf<T extends Pick<Participant, "number" | "madeBy" | "scopes">>(
  one: T,
  all: readonly T[],
): number {
  const maker = all.find(({ number }) => number === one.madeBy);
  return maker === undefined || maker.scopes.includes("own") ? one.number : rootOf(maker, all);
}

/** Whether any participant that counts as one with it has filled. */
export function hasFilled(one: Participant, all: readonly Participant[]): boolean {
  const root = rootOf(one, all);
  return all.some((other) => other.filled && rootOf(other, all) === root);
}

/**
 * Removes participants that can no longer act from the row. If one of them filled, its maker counts
 * as having filled, unless it owns the session: it must not approve that work either. Remaining
 * descendants no longer count as one with it, so they count as having filled too.
 */
export function removeParticipants(
  numbers: readonly number[],
  all: readonly Participant[],
): readonly Participant[] {
  // Descendants before their makers, so that `filled` moves up the whole line.
  return numbers.toSorted((a, b) => b - a).reduce(removeParticipant, all);
}

function removeParticipant(all: readonly Participant[], number: number): readonly Participant[] {
  const removed = all.find((one) => one.number === number);
  if (removed === undefined) return all;
  const remaining = all.filter((one) => one !== removed);
  const isShared = !removed.scopes.includes("own") && hasFilled(removed, all);
  const inheritsFilled = (one: Participant): boolean =>
    (removed.filled && one.number === removed.madeBy && !one.scopes.includes("own")) ||
    (isShared && one.madeBy === number);
  // Its maker keeps the identities that filled through it, otherwise the oldest participant does.
  const heir = remaining.find((one) => one.number === removed.madeBy) ?? remaining[0];
  return remaining.map((one) => ({
    ...one,
    ...(inheritsFilled(one) ? { filled: true } : {}),
    ...(one === heir ? mergeFillers(one, removed) : {}),
  }));
}
