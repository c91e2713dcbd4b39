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

interface LogPage {
  /** Events as they are stored, one a line. */
  readonly text: string;
  readonly count: number;
  /** Every event up to here was looked at. */
  readonly nextAfter: number;
  readonly more: boolean;
}

/** Where nothing is filtered, whole commits are handed on as they stand, without a look inside. */
export function readPage(store: SessionStore, query: PageQuery, head: number): LogPage {
  const page = new PageText(query.limit, query.maxBytes ?? LIMITS.pageBytes);
  const takesAll = query.types.length === 0 && query.outcome === undefined;
  let nextAfter = query.after;
  let scanned = 0;
  for (const commit of store.commitsAfter(query.after)) {
    if (scanned++ >= LIMITS.scanCommits) return page.end(nextAfter, true);
    const isWhole = takesAll && commit.first > query.after;
    if (!matchesCommit(commit, query) || (isWhole && page.addCommit(commit))) {
      nextAfter = commit.last;
      continue;
    }
    const events = splitEvents(commit.lines);
    for (let seq = Math.max(commit.first, query.after + 1); seq <= commit.last; seq++) {
      const line = events[seq - commit.first] ?? "";
      const isWanted = matchesTypes(line, query.types) && matchesOutcome(line, query.outcome);
      if (isWanted && !page.addLine(line)) return page.end(nextAfter, true);
      nextAfter = seq;
    }
  }
  return page.end(Math.max(nextAfter, head), false);
}

/** Text up to so many events and bytes; the first event always fits. */
class PageText {
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #parts: string[] = [];
  #count = 0;
  #bytes = 0;

  constructor(limit: number, maxBytes: number) {
    this.#limit = limit;
    this.#maxBytes = maxBytes;
  }

  addCommit({ first, last, bytes, lines }: StoredCommit): boolean {
    return this.#add(lines, last - first + 1, bytes);
  }

  addLine(line: string): boolean {
    return this.#add(line, 1, utf8Bytes(line));
  }

  end(nextAfter: number, more: boolean): LogPage {
    return { text: this.#parts.join("\n"), count: this.#count, nextAfter, more };
  }

  #add(text: string, count: number, bytes: number): boolean {
    const isFirstEvent = this.#count === 0 && count === 1;
    const fits = this.#count + count <= this.#limit && this.#bytes + bytes <= this.#maxBytes;
    if (!fits && !isFirstEvent) return false;
    this.#parts.push(text);
    this.#count += count;
    this.#bytes += bytes;
    return true;
  }
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
