/**
 * A page of the log, as lines. It ends at so many events, so many bytes, or so many commits looked
 * through; `nextAfter` says how far it looked, so that reading on neither skips nor repeats.
 */
import type { Actor } from "../domain/actor";
import { utf8Bytes } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { matchesTypes, splitEvents } from "../domain/event-line";
import type { SessionStore, StoredCommit } from "./session-store";

export interface PageQuery {
  readonly after: number;
  readonly limit: number;
  readonly maxBytes?: number;
  /** Types, or namespaces as `job.*`; empty for all. */
  readonly types: readonly string[];
  readonly actorKind?: string | undefined;
  readonly actorId?: string | undefined;
  /** Milliseconds: from this time on, and before that one. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly outcome?: string | undefined;
}

export interface LogPage {
  readonly lines: readonly string[];
  /** Every event up to here was looked at. */
  readonly nextAfter: number;
  readonly more: boolean;
}

export function readPage(store: SessionStore, query: PageQuery, head: number): LogPage {
  const maxBytes = query.maxBytes ?? LIMITS.pageBytes;
  const lines: string[] = [];
  let nextAfter = query.after;
  let bytes = 0;
  let scanned = 0;
  for (const commit of store.commitsAfter(query.after)) {
    if (scanned++ >= LIMITS.scanCommits) return { lines, nextAfter, more: true };
    if (!matchesCommit(commit, query)) {
      nextAfter = commit.last;
      continue;
    }
    const events = splitEvents(commit.lines);
    for (let seq = Math.max(commit.first, query.after + 1); seq <= commit.last; seq++) {
      const line = events[seq - commit.first] ?? "";
      if (matchesTypes(line, query.types) && matchesOutcome(line, query.outcome)) {
        const size = utf8Bytes(line);
        const isFull = lines.length >= query.limit || (bytes > 0 && bytes + size > maxBytes);
        if (isFull) return { lines, nextAfter, more: true };
        lines.push(line);
        bytes += size;
      }
      nextAfter = seq;
    }
  }
  return { lines, nextAfter: Math.max(nextAfter, head), more: false };
}

function matchesCommit(commit: StoredCommit, query: PageQuery): boolean {
  if (query.since !== undefined && commit.at < query.since) return false;
  if (query.until !== undefined && commit.at >= query.until) return false;
  if (query.actorKind === undefined && query.actorId === undefined) return true;
  const actor = JSON.parse(commit.actorText) as Actor;
  return (
    (query.actorKind === undefined || actor.kind === query.actorKind) &&
    (query.actorId === undefined || actor.id === query.actorId)
  );
}

function matchesOutcome(line: string, outcome: string | undefined): boolean {
  if (outcome === undefined) return true;
  const { payload } = JSON.parse(line) as { payload: { outcome?: unknown } };
  // What is in the log happened; only events that say otherwise did not succeed.
  return (typeof payload.outcome === "string" ? payload.outcome : "success") === outcome;
}
