/** A job's events: those acknowledged to the executor once each and in order, and what the client took is the log's. */
import type { LoggedCommit, Violation } from "./history.ts";

export interface JobStream {
  /** Marks of the events that the executor was told are kept, in the order in which it sent them. */
  readonly acknowledged: readonly string[];
  /** Marks of those it was told nothing certain of. */
  readonly unknown: readonly string[];
  /** Number and mark of each event as the client took them over all its connections. */
  readonly taken: readonly { readonly seq: number; readonly mark: string | null }[];
  readonly commits: readonly LoggedCommit[];
}

interface Body {
  readonly message?: string;
}

export function checkJobStream(stream: JobStream): readonly Violation[] {
  const { acknowledged, unknown, taken, commits } = stream;
  const found: Violation[] = [];
  const kept = new Map<number, string | null>();
  for (const { payload } of commits.flatMap(({ events }) => events)) {
    if (typeof payload["eventSeq"] !== "number") continue;
    const body = payload["body"] as Body | undefined;
    kept.set(payload["eventSeq"], body?.message ?? null);
  }
  for (const [index, { seq, mark }] of taken.entries()) {
    if (seq !== index + 1) {
      found.push({
        rule: "readers see the log",
        what: `ARCP was given ${seq} where ${index + 1} comes`,
      });
      break;
    }
    if (kept.get(seq) !== mark) {
      found.push({ rule: "readers see the log", what: `ARCP was given another event ${seq}` });
    }
  }
  const marks = [...kept].sort(([a], [b]) => a - b).flatMap(([, mark]) => mark ?? []);
  const known = new Set([...acknowledged, ...unknown]);
  const twice = marks.filter((mark, index) => marks.indexOf(mark) !== index || !known.has(mark));
  if (twice.length > 0) {
    found.push({ rule: "every write at most once", what: `job events ${twice.join(", ")}` });
  }
  const expected = new Set(acknowledged);
  const inOrder = marks.filter((mark) => expected.has(mark));
  if (inOrder.join() !== acknowledged.join()) {
    const what = `of ${acknowledged.length} job events ${inOrder.length} are there, or in another order`;
    found.push({ rule: "acknowledged writes are kept", what });
  }
  return found;
}
