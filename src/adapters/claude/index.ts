/**
 * `…/claude`: transcripts of the Claude Agent SDK in Baton, and permissions that a person grants
 * through a link.
 */
export { BatonSessionStore, type BatonSessionStoreOptions } from "./store";
export type { FoldSummary, SessionKey, SessionStoreEntry, SessionSummaryEntry } from "./protocol";
export { permissionHook, type PermissionHook, type PermissionHookOptions } from "./hook";
export type { HookInput, HookOutput, PermissionOutput, ToolOutput } from "./hook-protocol";
export type { InquiryLink, InquiryOptions } from "../inquiry";
