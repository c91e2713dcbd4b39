/** One signed document by itself: a receipt, a certificate of a purge, or a proof. */
import { isSigned, signatureProblem, type VerificationKey } from "./signed";
import type { NotWhole, Signature } from "./verify";

/** What was found in a receipt or a certificate. */
export interface SignedDocument {
  /** It is as it was signed. */
  readonly whole: true;
  /** What kind of document it is. */
  readonly kind: "receipt" | "certificate" | "proof";
  /** The session it speaks of. */
  readonly sessionId: string;
  /** The chain's hash that it names. */
  readonly chain: string;
  /** Who signed it. */
  readonly signatures: readonly Signature[];
}

const KINDS = ["receipt", "certificate", "proof"] as const;

/** All are signed with the same keys, so each is told by what only it says. */
const HAS: Readonly<Record<(typeof KINDS)[number], (signed: Record<string, unknown>) => boolean>> =
  {
    receipt: (signed) => "state" in signed,
    certificate: (signed) => signed["purged"] === true,
    proof: (signed) => !("state" in signed) && !("purged" in signed),
  };

/** `document` is what the server answered: `{receipt}`, `{certificate}` or `{proof}`. */
export async function verifyDocument(
  document: unknown,
  keys: readonly VerificationKey[],
): Promise<SignedDocument | NotWhole> {
  const given = (typeof document === "object" ? document : null) as Record<string, unknown> | null;
  const kind = KINDS.find((name) => Object.keys(given ?? {}).join() === name);
  const signed = kind === undefined ? null : given?.[kind];
  if (kind === undefined || !isSigned(signed)) {
    return { whole: false, seq: 0, why: "this is no signed receipt, certificate or proof" };
  }
  if (!HAS[kind](signed as Record<string, unknown>)) {
    return { whole: false, seq: 0, why: `this is signed, but it is no ${kind}` };
  }
  const { sessionId, seq, chain, at, keyId } = signed as Record<string, unknown>;
  const problem = await signatureProblem(signed, keys);
  if (problem !== null) return { whole: false, seq: Number(seq), why: `the ${kind}: ${problem}` };
  const signature = { keyId: String(keyId), at: String(at), seq: Number(seq) };
  return {
    whole: true,
    kind,
    sessionId: String(sessionId),
    chain: String(chain),
    signatures: [signature],
  };
}
