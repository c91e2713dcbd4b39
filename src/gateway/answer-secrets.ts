/** The secrets of a request and of its answer. */
import type { AppendRequest, CreatedSession, WriteOutcome } from "../object/messages";
import { hashAppendKey, hashRequest, unseal } from "./secrets";

/** The secrets of the answer: the new ones, or on a replay those that were sealed the first time. */
export async function secretsOf(
  answer: CreatedSession | WriteOutcome,
  material: Uint8Array | null,
  generated: readonly Uint8Array[],
): Promise<readonly [Uint8Array, Uint8Array?]> {
  const { replayed, sealed } = answer;
  const secrets =
    replayed && sealed !== null && material !== null ? await unseal(material, sealed) : generated;
  const [first, second] = secrets;
  if (first === undefined) throw new Error("an answer carries at least one secret");
  return second === undefined ? [first] : [first, second];
}

/** How the object finds an earlier request with the same key that spent no token. */
export function requestKeyOf(
  operation: "append" | "stop" | "job" | "lease" | "once",
  args: unknown,
  ifMatch: number | null,
  idempotencyKey: string | null,
): AppendRequest["key"] {
  if (idempotencyKey === null) return null;
  return {
    hash: hashAppendKey(idempotencyKey),
    request: hashRequest(operation, args, ifMatch, idempotencyKey),
  };
}
