/** `…/claude`: transcripts of the Claude Agent SDK in Baton. */
export { BatonSessionStore, type BatonSessionStoreOptions } from "./store";
export type { FoldSummary, SessionKey, SessionStoreEntry, SessionSummaryEntry } from "./protocol";
