/** What the checker knows of each operation: what it needs, where it is allowed, how it shows in the log. */
import type { LoggedCommit } from "./history.ts";

export interface Known {
  readonly scope: string;
  readonly spends: boolean;
  readonly moves: boolean;
  /** Null means: in every state that is not terminal. */
  readonly from: readonly string[] | null;
  /** Type of the event that tells its commit from others. */
  readonly event: string;
}

const row = (
  event: string,
  scope: string,
  moves: boolean,
  from: readonly string[] | null = null,
  spends = true,
): Known => ({ scope, spends, moves, from, event });

const FILLING = ["draft", "in_progress", "awaiting_input"];
const OPEN = [...FILLING, "awaiting_upload"];
const ANY = [...OPEN, "submitted", "needs_review", "approved"].concat([
  "finalized",
  "rejected",
  "cancelled",
]);

export const KNOWN: Readonly<Record<string, Known>> = {
  create: row("session.created", "", true, []),
  setFields: row("fields.updated", "fill", true, OPEN),
  requestInput: row("session.input_requested", "fill", true, ["draft", "in_progress"]),
  submit: row("session.submitted", "fill", true, FILLING),
  approve: row("review.approved", "review", true, ["needs_review"]),
  reject: row("review.rejected", "review", true, ["needs_review"]),
  requestChanges: row("review.changes_requested", "review", true, ["needs_review"]),
  finalize: row("session.finalized", "own", true, ["submitted", "approved"]),
  cancel: row("session.cancelled", "own", true),
  restore: row("checkpoint.restored", "own", true, OPEN),
  requestUpload: row("upload.requested", "fill", true, OPEN),
  confirmUpload: row("upload.confirmed", "fill", true, OPEN),
  removeUpload: row("upload.removed", "fill", true, OPEN),
  resume: row("token.accessed", "view", false),
  handoff: row("handoff.created", "handoff", false),
  pause: row("session.paused", "own", false),
  unpause: row("session.unpaused", "own", false),
  extend: row("session.extended", "own", false),
  checkpoint: row("checkpoint.created", "fill", false),
  revoke: row("handoff.revoked", "own", false),
  trim: row("session.trimmed", "own", false),
  fork: row("session.forked", "own", false, ANY),
  link: row("handoff.link_issued", "handoff", false),
  /** By a person who shows nothing but the code. */
  openLink: row("handoff.opened", "", false, null, false),
  append: row("", "append", false, null, false),
};

export const TERMINAL: ReadonlySet<string> = new Set([
  "finalized",
  "rejected",
  "cancelled",
  "expired",
]);

/** What leaves nothing in the log. */
const UNLOGGED: Readonly<Record<string, Known>> = {
  get: row("", "view", false, ANY, false),
  events: row("", "view", false, ANY, false),
};

export const known = (name: string): Known => {
  const found = KNOWN[name] ?? UNLOGGED[name];
  if (found === undefined) throw new Error(`the checker knows no operation ${name}`);
  return found;
};

export const isAllowed = (name: string, state: string): boolean => {
  const { from } = known(name);
  return from === null ? !TERMINAL.has(state) : from.includes(state);
};

/** The operation that a commit shows, or null for one of the server's own. */
export function nameOf({ events, participant }: LoggedCommit): string | null {
  if (participant === null) return null;
  const types = new Set(events.map(({ type }) => type));
  const ordered = [...SAYING_MORE, ...Object.keys(KNOWN).filter((name) => name !== "append")];
  return ordered.find((name) => types.has(known(name).event)) ?? "append";
}

/**
 * Whose commits also hold an event that is another's mark: a restore and a fork keep a checkpoint of
 * what was there, a file shows in a field, a link is a handoff too, and opening it accesses a token.
 */
const SAYING_MORE = ["restore", "fork", "confirmUpload", "removeUpload", "link", "openLink"];

/** May follow the end of the session: it changes nothing of it. */
export const isAfterlife = (commit: LoggedCommit): boolean => nameOf(commit) === "fork";

export const spendsToken = (commit: LoggedCommit): boolean => {
  const name = nameOf(commit);
  return name !== null && name !== "create" && known(name).spends;
};

/** Does a commit carry this mark, somewhere in what its events say or as whom? */
export const carries = ({ events }: LoggedCommit, mark: string): boolean =>
  JSON.stringify(events.map(({ actor, payload }) => [actor, payload])).includes(`"${mark}"`);
