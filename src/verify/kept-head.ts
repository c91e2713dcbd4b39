/**
 * A head of the chain that somebody kept: a proof, a receipt, a certificate, or the body of a notice. A log
 * that was cut at an earlier event agrees with itself; only what was kept outside says that it went on.
 */
import { fieldsOf } from "./contents";

/** Where a log stood at some time, as somebody outside knows it. */
export interface KeptHead {
  /** The session; absent: whatever session the log is of. */
  readonly sessionId?: string;
  /** An event that the log must have. */
  readonly seq: number;
  /** The chain's hash after the commit of that event; absent: not compared. */
  readonly chain?: string;
}

const HOLDERS = ["proof", "receipt", "certificate", "data"] as const;

/** From what a server answered or posted; null where it names no head. */
export function keptHeadIn(document: unknown): KeptHead | null {
  const given = fieldsOf(document);
  const holder = HOLDERS.find((name) => name in given);
  const { sessionId, seq, chain } = fieldsOf(holder === undefined ? null : given[holder]);
  const isHead =
    typeof sessionId === "string" && Number.isSafeInteger(seq) && typeof chain === "string";
  return isHead ? { sessionId, seq: Number(seq), chain } : null;
}

/** What is wrong with a log that ends at `head`, or null. `ends` are the chains after its commits. */
export function keptHeadProblem(
  kept: KeptHead,
  log: {
    readonly sessionId: string;
    readonly head: number;
    readonly ends: ReadonlyMap<number, string>;
  },
): string | null {
  const { sessionId = log.sessionId, seq, chain } = kept;
  if (sessionId !== log.sessionId) return "the kept head belongs to another session";
  if (seq > log.head) return `the log continues to event ${seq} at least, but this file ends here`;
  if (chain === undefined) return null;
  const end = [...log.ends.keys()].find((last) => last >= seq);
  return end !== undefined && log.ends.get(end) === chain
    ? null
    : `the log had another chain at event ${seq} when that head was kept`;
}
