/** The public keys of this server, as a JSON Web Key Set: what its proofs are verified with. */
import type { Env } from "../env";
import { keysOf, publicKeys } from "../gateway/keyring";
import { answerJson, answerProblem } from "./answers";

/** A new key is listed before it is needed by anybody for long; a removed one is soon gone. */
const CACHED = { "Cache-Control": "public, max-age=300" } as const;

export async function answerKeys(
  env: Pick<Env, "SIGNING_KEYS" | "SEALING_KEYS">,
): Promise<Response> {
  const ring = keysOf(env, "SIGNING_KEYS");
  if (!ring.ok) return answerProblem(ring.error);
  return answerJson(200, { keys: await publicKeys(ring.value) }, CACHED);
}
