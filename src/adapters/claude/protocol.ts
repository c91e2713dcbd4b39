/** What the Claude Agent SDK asks of a session store, as far as it is used here. */

/** Which transcript. */
export interface SessionKey {
  /** The project it belongs to. */
  readonly projectKey: string;
  /** The session of Claude. */
  readonly sessionId: string;
  /** Absent for the main transcript; else a subagent's. */
  readonly subpath?: string;
}

/** One line of a transcript: JSON that is passed through. */
export interface SessionStoreEntry {
  /** What kind of line it is. */
  type: string;
  /** By which it is known again. */
  uuid?: string;
  /** When, ISO 8601. */
  timestamp?: string;
  [member: string]: unknown;
}

/** What a list of sessions shows of one. */
export interface SessionSummaryEntry {
  /** The session of Claude. */
  sessionId: string;
  /** When it was last written, in milliseconds since 1970. */
  mtime: number;
  /** What the SDK folded. */
  data: Record<string, unknown>;
}

/** The SDK's own `foldSessionSummary`. */
export type FoldSummary = (
  previous: SessionSummaryEntry | undefined,
  key: { projectKey: string; sessionId: string; subpath?: string },
  entries: SessionStoreEntry[],
  options?: { mtime?: number },
) => SessionSummaryEntry;
