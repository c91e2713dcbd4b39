/**
 * A page of the log, as lines. It is limited by the number of events, of characters, and of
 * characters scanned. `nextAfter` is the last seq that was scanned, so reading on neither skips nor
 * repeats.
 */
import type { Actor } from "../domain/participants/actor";
import { LIMITS } from "../domain/limits";
import { isTrimmable } from "../domain/log/event";
import { matchesTypes, splitEvents, type EventTexts } from "../domain/log/event-line";
import type { CommitLog } from "./commit-log";
import type { StoredCommit } from "./stored-commit";

export interface PageQuery {
  readonly after: number;
  readonly limit: number;
  /** In characters: most are one byte, and counting bytes would mean encoding the page. */
  readonly maxLength?: number;
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
  /** Events as they are stored. */
  readonly texts: EventTexts;
  readonly count: number;
  /** Every event up to here was scanned. */
  readonly nextAfter: number;
  readonly more: boolean;
}

/** The line as a narrowed reader sees it, or null if it does not see it. */
type NarrowLine = (line: string) => string | null;

/**
 * If nothing is filtered, whole commits are passed on as stored, without parsing. For a narrowed
 * reader, filters and limits apply to what it sees, so that a page does not tell where hidden events
 * are or what is in them.
 */
export function readPage(
  log: CommitLog,
  query: PageQuery,
  head: number,
  narrow: NarrowLine | null = null,
): LogPage {
  const page = new PageText(query.limit, query.maxLength ?? LIMITS.pageBytes);
  const { types } = query;
  const takesAll = types.length === 0 && query.outcome === undefined && narrow === null;
  const takesTrimmable = types.length === 0 || types.some(isTrimmable);
  let nextAfter = query.after;
  let scanned = 0;
  const more = needsDescription(query) ? "described" : undefined;
  for (const commit of log.commitsAfter(query.after, more, takesTrimmable)) {
    if (scanned >= LIMITS.scanLength) return page.end(nextAfter, true);
    const isWhole = takesAll && commit.first > query.after;
    const isMatch = matchesCommit(commit, query);
    if (isMatch && isWhole && page.add(commit.lines, commit.last - commit.first + 1)) {
      nextAfter = commit.last;
      continue;
    }
    scanned += commit.lines.length;
    if (!isMatch) {
      nextAfter = commit.last;
      continue;
    }
    const events = splitEvents(commit.lines);
    for (let seq = Math.max(commit.first, query.after + 1); seq <= commit.last; seq++) {
      const stored = events[seq - commit.first] ?? "";
      const line = narrow === null || stored === "" ? stored : narrow(stored);
      const isMatching =
        line !== null && matchesTypes(line, types) && matchesOutcome(line, query.outcome);
      if (isMatching && !page.add(line)) return page.end(nextAfter, true);
      nextAfter = seq;
    }
  }
  return page.end(Math.max(nextAfter, head), false);
}

const SHORT_LENGTH = 16 * 1024;

/** Text up to a limit of events and characters; the first event always fits. */
class PageText {
  readonly #limit: number;
  readonly #maxLength: number;
  readonly #texts: string[] = [];
  /** Short texts, which are cheaper to pass on as one. */
  #short: string[] = [];
  #shortLength = 0;
  #count = 0;
  #length = 0;

  constructor(limit: number, maxLength: number) {
    this.#limit = limit;
    this.#maxLength = maxLength;
  }

  end(nextAfter: number, more: boolean): LogPage {
    this.#gather();
    return { texts: this.#texts, count: this.#count, nextAfter, more };
  }

  /** False if it does not fit. */
  add(text: string, count = 1): boolean {
    const isFirstEvent = this.#count === 0 && count === 1;
    const length = this.#length + text.length;
    const fits = this.#count + count <= this.#limit && length <= this.#maxLength;
    if (!fits && !isFirstEvent) return false;
    this.#short.push(text);
    this.#shortLength += text.length;
    if (this.#shortLength >= SHORT_LENGTH) this.#gather();
    this.#count += count;
    this.#length = length;
    return true;
  }

  #gather(): void {
    if (this.#short.length > 0) this.#texts.push(this.#short.join("\n"));
    this.#short = [];
    this.#shortLength = 0;
  }
}

/** Does the query filter by the author or the time of a commit? */
const needsDescription = ({ since, until, actorKind, actorId }: PageQuery): boolean =>
  since !== undefined || until !== undefined || actorKind !== undefined || actorId !== undefined;

function matchesCommit({ at = 0, actorText = "{}" }: StoredCommit, query: PageQuery): boolean {
  if (query.since !== undefined && at < query.since) return false;
  if (query.until !== undefined && at >= query.until) return false;
  if (query.actorKind === undefined && query.actorId === undefined) return true;
  const actor = JSON.parse(actorText) as Actor;
  return (
    (query.actorKind === undefined || actor.kind === query.actorKind) &&
    (query.actorId === undefined || actor.id === query.actorId)
  );
}

function matchesOutcome(line: string, outcome: string | undefined): boolean {
  if (outcome === undefined) return true;
  const { payload } = JSON.parse(line) as { payload: { outcome?: unknown } };
  // An event succeeded unless its payload has another outcome.
  return (typeof payload.outcome === "string" ? payload.outcome : "success") === outcome;
}
