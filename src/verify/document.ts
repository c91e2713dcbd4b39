/** Verifies one signed document: a receipt, a certificate of a purge, or a proof. */
import { isSessionId } from "./chain";
import { isSigned, signatureProblem, type SignedObject, type VerificationKey } from "./signature";
import { StrictJsonError, parseStrictly } from "./strict-json";
import type { NotWhole, Signature } from "./verify";

/** The result for a document whose signature is valid. */
export interface SignedDocument {
  /** It is as it was signed. */
  readonly whole: true;
  /** What kind of document it is. */
  readonly kind: "receipt" | "certificate" | "proof";
  /** The session it is about. */
  readonly sessionId: string;
  /** The last event that it covers. */
  readonly seq: number;
  /** The chain's hash that it names. */
  readonly chain: string;
  /** Who signed it. */
  readonly signatures: readonly Signature[];
}

const KINDS = ["receipt", "certificate", "proof"] as const;

const PROOF_MEMBERS = ["at", "chain", "keyId", "seq", "sessionId", "signature"];
const CERTIFICATE_MEMBERS = [...PROOF_MEMBERS, "blobs", "files", "purged"].toSorted().join();

/** All kinds are signed with the same keys, so each is recognized by members that only it has. */
const MATCHES_KIND: Readonly<Record<(typeof KINDS)[number], (signed: SignedObject) => boolean>> = {
  receipt: (signed) => "state" in signed && isSigned(signed["proof"]),
  certificate: (signed) => signed["purged"] === true && membersOf(signed) === CERTIFICATE_MEMBERS,
  proof: (signed) => membersOf(signed) === PROOF_MEMBERS.join(),
};

const membersOf = (signed: SignedObject): string => Object.keys(signed).toSorted().join();

/**
 * `document` is the server's response: `{receipt}`, `{certificate}` or `{proof}`. Pass its text or its
 * bytes if you have them: a member that appears twice is found only there.
 */
export async function verifyDocument(
  document: unknown,
  keys: readonly VerificationKey[],
): Promise<SignedDocument | NotWhole> {
  let parsed: unknown = document;
  try {
    if (typeof document === "string" || document instanceof Uint8Array)
      parsed = parseStrictly(document);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    return { whole: false, seq: 0, why: error.message };
  }
  const named = (typeof parsed === "object" ? parsed : null) as Record<string, unknown> | null;
  const kind = KINDS.find((name) => Object.keys(named ?? {}).join() === name);
  const signed = kind === undefined ? null : named?.[kind];
  if (kind === undefined || !isSigned(signed)) {
    return { whole: false, seq: 0, why: "this is not a signed receipt, certificate or proof" };
  }
  if (!MATCHES_KIND[kind](signed)) {
    return { whole: false, seq: 0, why: `this is signed, but it is not a ${kind}` };
  }
  const { sessionId, seq, chain, at, keyId } = signed as SignedObject & Record<string, unknown>;
  if (!isSessionId(sessionId)) return { whole: false, seq: 0, why: "it does not name a session" };
  const problem = (await signatureProblem(signed, keys)) ?? (await innerProofProblem(signed, keys));
  // A forged `seq` can be anything, even an object that cannot become a number.
  const covered = typeof seq === "number" ? seq : 0;
  if (problem !== null) return { whole: false, seq: covered, why: `the ${kind}: ${problem}` };
  return {
    whole: true,
    kind,
    sessionId: String(sessionId),
    seq: covered,
    chain: String(chain),
    signatures: [{ keyId, at: String(at), seq: covered }],
  };
}

/** A receipt contains a proof, which can be stored by itself. It must be about the same head. */
async function innerProofProblem(
  { proof, sessionId, seq, chain }: SignedObject,
  keys: readonly VerificationKey[],
): Promise<string | null> {
  if (!isSigned(proof)) return null;
  const isSame =
    proof["sessionId"] === sessionId && proof["seq"] === seq && proof["chain"] === chain;
  if (!isSame || !MATCHES_KIND.proof(proof)) return "its proof is about something else";
  const problem = await signatureProblem(proof, keys);
  return problem === null ? null : `its proof: ${problem}`;
}
