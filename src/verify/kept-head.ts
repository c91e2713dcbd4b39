/**
 * Heads of the chain that were stored outside the server: in a proof, a receipt, a certificate, or the body
 * of a notice. A log that was cut at an earlier event is still consistent. Only a stored head shows the cut.
 */
import { fieldsOf } from "./contents";

/** A head of a log at some time, stored outside the server. */
export interface KeptHead {
  /** The session. Default: the session of the log. */
  readonly sessionId?: string;
  /** An event that the log must have. */
  readonly seq: number;
  /** The chain's hash after the commit of that event. If absent, it is not compared. */
  readonly chain?: string;
}

const HOLDERS = ["proof", "receipt", "certificate", "data"] as const;

/** Reads the head from a response or a notice of a server. Null if it has none. */
export function keptHeadIn(document: unknown): KeptHead | null {
  const members = fieldsOf(document);
  const holder = HOLDERS.find((name) => name in members);
  const { sessionId, seq, chain } = fieldsOf(holder === undefined ? null : members[holder]);
  const isHead =
    typeof sessionId === "string" && Number.isSafeInteger(seq) && typeof chain === "string";
  return isHead ? { sessionId, seq: Number(seq), chain } : null;
}

/** What is wrong with a log that ends at `head`, or null. `ends` has the chain after each commit. */
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
