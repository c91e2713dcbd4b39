/**
 * What a run wrote down of one session: what its participants asked and were told, what its readers
 * saw, and what was stored in the end. Plain data, so that a history can also be planted by hand.
 */
export interface LoggedEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly actor: unknown;
  readonly state: string;
  readonly version: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** One row of the log. The participant is null for the server. */
export interface LoggedCommit {
  readonly first: number;
  readonly last: number;
  readonly participant: number | null;
  readonly events: readonly LoggedEvent[];
}

/** The session as somebody was shown it, or as it was stored. */
export interface Shown {
  readonly state: string;
  readonly version: number;
  readonly head: number;
  readonly paused: boolean;
  readonly title: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

export type Outcome =
  /** `commit` is the first seq of what it wrote: of the commit that issued its new token. */
  | {
      readonly kind: "ok";
      readonly commit: number;
      readonly replayed: boolean;
      readonly shown?: Shown;
    }
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly shown?: Shown;
      readonly from?: string;
      readonly missed?: readonly LoggedEvent[];
    }
  /** No answer, or one that does not say: it may have happened, once. */
  | { readonly kind: "unknown" };

/** In milliseconds since 1970: from when to when, and the least and the most the server's clock may have shown. */
export interface Span {
  readonly invoked: number;
  /** Infinity where no answer came. */
  readonly responded: number;
  readonly clock: readonly [least: number, most: number];
}

export interface Operation extends Span {
  readonly id: string;
  readonly name: string;
  readonly participant: number;
  /** First seq of the commit that issued the token presented. 0 for a create. */
  readonly token: number;
  readonly ifMatch: number | null;
  readonly auto?: boolean;
  /** A text that no other operation carries, where the operation can carry one. */
  readonly mark: string | null;
  /** An attempt of it got no answer: even if another was refused, it may have happened. */
  readonly hasLostAttempt: boolean;
  readonly outcome: Outcome;
}

export interface Read extends Span {
  readonly id: string;
  readonly shown: Shown;
}

/** All that one reader was given over all its connections, in the order in which it came. */
export interface Stream {
  readonly id: string;
  readonly after: number;
  readonly events: readonly LoggedEvent[];
}

export interface SessionHistory {
  readonly id: string;
  /** Scopes of each participant, with all that is implied. */
  readonly scopes: ReadonlyMap<number, readonly string[]>;
  readonly operations: readonly Operation[];
  readonly reads: readonly Read[];
  readonly streams: readonly Stream[];
  readonly commits: readonly LoggedCommit[];
  /** As stored at the end; null where nothing is there. */
  readonly stored: (Shown & { readonly expiresAt: number }) | null;
}

export interface Violation {
  readonly rule: string;
  readonly what: string;
}
