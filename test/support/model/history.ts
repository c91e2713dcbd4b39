/**
 * What a run recorded: plain data, whichever driver made it, so that a history can also be written by hand.
 * A session's history has every request with its answer and times, everything that readers received, and
 * the stored rows. Nothing in here is a secret: a token is named by the seq of the commit that issued it.
 */
import type { Observations } from "./observer.ts";

export interface LoggedEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly actor: unknown;
  readonly participant: string | null;
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
  /** A trim removed it from the log; the driver kept a copy. */
  readonly isTrimmed?: boolean;
  /** When it was committed, on the clock of `Span`, if the driver knows. */
  readonly committed?: number;
}

/** The session as an answer shows it, or as it is stored. */
export interface SessionView {
  readonly state: string;
  readonly version: number;
  readonly head: number;
  readonly paused: boolean;
  readonly title: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const viewOf = ({
  state,
  version,
  head,
  paused,
  title,
  fields,
}: SessionView): SessionView => ({
  state,
  version,
  head,
  paused,
  title,
  fields,
});

export type Outcome =
  /**
   * `commit` is the first seq of what it wrote. Null if it is a read, or if the answer does not say: then it
   * is the commit that carries the operation's mark. `replayed` is null if the answer does not say. `issued`
   * is a digest of what only this answer can hold.
   */
  | {
      readonly kind: "ok";
      readonly commit: number | null;
      readonly replayed: boolean | null;
      readonly shown?: SessionView | undefined;
      readonly issued?: string;
    }
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly shown?: SessionView | undefined;
      readonly from?: string | undefined;
      readonly missed?: readonly LoggedEvent[] | undefined;
    }
  /** No answer, or an uncertain one: the operation may have happened, once. */
  | { readonly kind: "unknown" };

/**
 * From request to answer, on one clock of the run (milliseconds, or ticks if the driver is sequential), and
 * the least and the most that the server's clock can have shown meanwhile.
 */
export interface Span {
  readonly invoked: number;
  /** Infinity if no answer came. */
  readonly responded: number;
  readonly clock: readonly [least: number, most: number];
}

export type Way = "http" | "mcp" | "socket" | "page" | "memory";
export type Arguments = Readonly<Record<string, unknown>>;

export interface Operation extends Span {
  readonly id: string;
  /** A name of the table of operations. */
  readonly name: string;
  readonly way: Way;
  readonly participant: number;
  /** First seq of the commit that issued its token. 0 for a create. */
  readonly token: number;
  readonly key: string | null;
  readonly ifMatch: number | null;
  readonly args: Arguments;
  /** If it went over a socket, the seq after which the socket first requested events. */
  readonly after?: number | undefined;
  /** A text that no other operation writes to the log, if this one does. */
  readonly mark: string | null;
  /** An attempt got no answer: even if another was refused, the operation may have happened. */
  readonly hasLostAttempt: boolean;
  readonly outcome: Outcome;
  /** Only drivers that see the storage fill this in. */
  readonly observed?:
    | { readonly changedStorage: boolean; readonly rowsWritten: number }
    | undefined;
}

/** Everything that one reader received over all its connections, in the order of arrival. */
export interface Stream {
  readonly id: string;
  readonly after: number;
  readonly events: readonly LoggedEvent[];
  /** The seq up to which it had to read, and why it could not, if it could not. */
  readonly target?: number;
  readonly refusal?: string | null;
  /** How often it connected, if it is a reader that follows the log. */
  readonly connections?: number;
}

/** The bytes of a file on their way to the server, as their hash. */
export interface FilePut extends Span {
  readonly id: string;
  readonly upload: string;
  readonly sha256: string;
  readonly outcome: "ok" | "refused" | "unknown";
}

/** What there was of a file at the end: the hash of its bytes, or null. */
export interface StoredFile {
  readonly upload: string;
  readonly sha256: string | null;
}

/** What there was of a fork's child at the end. */
export interface Child {
  readonly id: string;
  readonly stored: Pick<SessionView, "title" | "fields"> | null;
  /** The status that its token gets; null if no token was received. */
  readonly status: number | null;
}

/** A commit as it was announced to listeners. */
export interface Announcement {
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

/** What was left after an acknowledged purge, and how later requests were answered. */
export interface PurgeObservation {
  readonly rows: number;
  readonly files: number;
  readonly requests: readonly { readonly what: string; readonly status: number }[];
}

/** A job's executor and its ARCP client. */
export interface JobObservation {
  /** Marks of the events whose storing was acknowledged, in the order in which the executor sent them. */
  readonly acknowledged: readonly string[];
  readonly unknown: readonly string[];
  /** Number and mark of each event that the client received over all its connections. */
  readonly received: readonly { readonly seq: number; readonly mark: string | null }[];
}

export interface StoredSession extends SessionView {
  readonly expiresAt: number;
}

export interface History {
  readonly id: string;
  readonly operations: readonly Operation[];
  readonly commits: readonly LoggedCommit[];
  /** As stored at the end; null if nothing is there. */
  readonly stored: StoredSession | null;
  readonly streams: readonly Stream[];
  readonly puts: readonly FilePut[];
  readonly files: readonly StoredFile[];
  readonly children: readonly Child[];
  readonly announcements?: readonly Announcement[] | undefined;
  /** The stored session and the product's own fold of the stored log, both whole, to be equal. */
  readonly productFold?: { readonly stored: unknown; readonly folded: unknown } | undefined;
  readonly purge?: PurgeObservation;
  readonly job?: JobObservation;
}

export const EMPTY_HISTORY: History = {
  id: "",
  operations: [],
  commits: [],
  stored: null,
  streams: [],
  puts: [],
  files: [],
  children: [],
};

/** All sessions of a run, and what was observed around them. */
export interface RunHistory {
  readonly sessions: readonly History[];
  readonly observations: Observations;
}

/** The same text whatever the order of keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part as Record<string, unknown>).sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : part,
  ) ?? "undefined";

/** Two requests with the same identity are the same attempt. */
export const identityOf = ({
  name,
  args,
  ifMatch,
  key,
}: Pick<Operation, "name" | "args" | "ifMatch" | "key">): string =>
  canonical([name, args, ifMatch, key]);

/** A digest that compares secrets without keeping them (FNV-1a). */
export function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash.toString(16);
}
