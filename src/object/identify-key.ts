/** Who presents an owner's key: a foreign session is as unknown to it as it is to a wrong token. */
import { keyHolder, type KeyCredential } from "../domain/owners/open";
import type { Loaded } from "../storage/session-store";
import type { Received } from "./gate";
import type { Reply } from "./messages";

export const TOKEN_INVALID = { ok: false, failure: { code: "token_invalid" } } as const;
export const NOT_OF_THIS_KEY = {
  ok: false,
  failure: { code: "token_invalid", what: "session" },
} as const;

export function identifyKey(loaded: Loaded, key: KeyCredential): Reply<Received> {
  const { session, participants, plan } = loaded;
  if (session.belongs?.owner !== key.owner) return NOT_OF_THIS_KEY;
  const participant = keyHolder(key, session);
  return { ok: true, value: { session, participants, plan, participant, standing: "newest" } };
}
