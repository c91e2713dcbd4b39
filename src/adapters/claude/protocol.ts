/** What the Claude Agent SDK asks of a session store, as far as it is used here. */

export interface SessionKey {
  readonly projectKey: string;
  readonly sessionId: string;
  /** Absent for the main transcript; else a subagent's. */
  readonly subpath?: string;
}

/** One line of a transcript: JSON that is passed through. */
export interface SessionStoreEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [member: string]: unknown;
}

export interface SessionSummaryEntry {
  sessionId: string;
  mtime: number;
  data: Record<string, unknown>;
}

/** The SDK's own `foldSessionSummary`. */
export type FoldSummary = (
  previous: SessionSummaryEntry | undefined,
  key: { projectKey: string; sessionId: string; subpath?: string },
  entries: SessionStoreEntry[],
  options?: { mtime?: number },
) => SessionSummaryEntry;
