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
  /** Taken by a trim; the harness keeps it aside. */
  readonly isTrimmed?: boolean;
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
  /**
   * `commit` is the first seq of what it wrote: of the commit that issued its new token. Null where
   * the answer does not say: then it is the one that carries its mark.
   */
  | {
      readonly kind: "ok";
      readonly commit: number | null;
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
  /** The seq after which it asked for events, where it did. */
  readonly after?: number;
  /** The file it is about. */
  readonly upload?: string;
  /** A text that no other operation carries, where the operation can carry one. */
  readonly mark: string | null;
  /** An attempt of it got no answer: even if another was refused, it may have happened. */
  readonly hasLostAttempt: boolean;
  readonly outcome: Outcome;
}

export interface Read extends Span {
  readonly id: string;
  readonly participant: number;
  readonly shown: Shown;
}

/** All that one reader was given over all its connections, in the order in which it came. */
export interface Stream {
  readonly id: string;
  readonly after: number;
  readonly events: readonly LoggedEvent[];
}

/** The bytes of a file on their way to the server, as their hash. */
export interface Put extends Span {
  readonly id: string;
  readonly upload: string;
  readonly sha256: string;
  readonly outcome: "ok" | "refused" | "unknown";
}

/** What there was of a file in the end: the hash of its bytes, or null where there is none. */
export interface Kept {
  readonly upload: string;
  readonly sha256: string | null;
}

/** What there was of a fork's child in the end; null where nothing is there. */
export interface Child {
  readonly id: string;
  readonly stored: Pick<Shown, "title" | "fields"> | null;
  /** What who was given its token is answered; null where nobody was. */
  readonly status: number | null;
}

export interface SessionHistory {
  readonly id: string;
  /** Scopes of each participant, with all that is implied. */
  readonly scopes: ReadonlyMap<number, readonly string[]>;
  readonly operations: readonly Operation[];
  readonly reads: readonly Read[];
  readonly streams: readonly Stream[];
  readonly puts: readonly Put[];
  readonly commits: readonly LoggedCommit[];
  readonly kept: readonly Kept[];
  readonly children: readonly Child[];
  /** As stored at the end; null where nothing is there. */
  readonly stored: (Shown & { readonly expiresAt: number }) | null;
}

export interface Violation {
  readonly rule: string;
  readonly what: string;
}
