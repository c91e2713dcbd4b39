/** The interface of a session store of the Claude Agent SDK, as far as it is used here. */

/** Identifies a transcript. */
export interface SessionKey {
  /** The project it belongs to. */
  readonly projectKey: string;
  /** The session of Claude. */
  readonly sessionId: string;
  /** Absent for the main transcript; otherwise the path of a subagent's. */
  readonly subpath?: string;
}

/** One line of a transcript: JSON that is passed through. */
export interface SessionStoreEntry {
  /** The kind of line. */
  type: string;
  /** Identifies the line. */
  uuid?: string;
  /** The time, ISO 8601. */
  timestamp?: string;
  [member: string]: unknown;
}

/** A session in a list of sessions. */
export interface SessionSummaryEntry {
  /** The session of Claude. */
  sessionId: string;
  /** When it was last written, in milliseconds since 1970. */
  mtime: number;
  /** The summary that the SDK folded. */
  data: Record<string, unknown>;
}

/** The SDK's own `foldSessionSummary`. */
export type FoldSummary = (
  previous: SessionSummaryEntry | undefined,
  key: { projectKey: string; sessionId: string; subpath?: string },
  entries: SessionStoreEntry[],
  options?: { mtime?: number },
) => SessionSummaryEntry;
