/**
 * The log as evidence: every commit in order, complete with its chain or, if it was trimmed, as its
 * hash.
 */
import { bytesToHex } from "../domain/base64url";
import { bodyOf } from "./chain";
import type { CommitLog } from "./commit-log";
import type { StoredCommit } from "./stored-commit";
import { inLogOrder, toTrimmedEntry, type TrimmedEntry } from "./trimmed-hashes";

/** A line of an export, and the last seq that it covers. */
interface EvidenceLine {
  readonly last: number;
  readonly text: string;
}

/** Limits the entries per line, so that no line is long. */
const MAX_IN_LINE = 1_000;

export interface EvidencePart {
  /** Without line breaks. */
  readonly lines: readonly string[];
  readonly nextAfter: number;
  readonly more: boolean;
}

/** As many lines as fit, and at least one: a line may hold a whole row. */
export function readEvidence(
  log: CommitLog,
  sessionId: string,
  range: { readonly after: number; readonly until: number },
  maxLength: number,
): EvidencePart {
  const lines: string[] = [];
  let length = 0;
  let nextAfter = range.after;
  for (const { last, text } of evidenceAfter(log, sessionId, range.after, range.until)) {
    if (lines.length > 0 && length + text.length > maxLength) break;
    lines.push(text);
    length += text.length;
    nextAfter = last;
  }
  return { lines, nextAfter, more: nextAfter < range.until };
}

/** Lines of an export for commits after `seq`, up to the one that ends at `until`. */
export function* evidenceAfter(
  log: CommitLog,
  sessionId: string,
  seq: number,
  until: number,
): Generator<EvidenceLine> {
  let entries: TrimmedEntry[] = [];
  for (const commit of inLogOrder(log.trimmedAfter(seq), log.commitsAfter(seq, "chained"))) {
    if (commit.last > until) break;
    if ("bodyHash" in commit) entries.push(toTrimmedEntry(commit));
    if (entries.length > 0 && (!("bodyHash" in commit) || entries.length >= MAX_IN_LINE)) {
      yield trimmedLine(entries);
      entries = [];
    }
    if (!("bodyHash" in commit)) yield commitLine(sessionId, commit);
  }
  if (entries.length > 0) yield trimmedLine(entries);
}

const trimmedLine = (entries: readonly TrimmedEntry[]): EvidenceLine => ({
  last: entries.at(-1)?.[1] ?? 0,
  text: JSON.stringify({ trimmed: entries }),
});

function commitLine(sessionId: string, commit: StoredCommit): EvidenceLine {
  const { first, last, lines, participant = null, chain = new Uint8Array() } = commit;
  const body = bodyOf(sessionId, { first, last, participant, lines });
  return { last, text: `{"commit":${body},"chain":"${bytesToHex(chain)}"}` };
}
