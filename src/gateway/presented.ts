/** From `:ref` and Authorization to a routable credential. Nothing here reaches an object. */
import type { Credential } from "../domain/admission";
import { invalid, type Failure } from "../domain/failure";
import { objectIdHexOf, sessionIdFromHex, type SessionId } from "../domain/ids";
import { ok, refuse, type Result } from "../domain/result";
import type { Caller } from "./caller";
import type { Guard } from "./guard";
import { hashSecret } from "./secrets";
import { parseToken, TOKEN_PREFIX } from "./token";

export interface Presented {
  readonly objectId: DurableObjectId;
  readonly sessionId: SessionId;
  readonly credential: Credential;
  readonly secret: Uint8Array;
}

interface Namespace {
  idFromString(hex: string): DurableObjectId;
}

/** Stands for the routing part of what has none. */
export const MALFORMED = "malformed";
const TOKEN_INVALID: Failure = { code: "token_invalid" };
const BEARER = /^Bearer +(\S+) *$/i;

/** `ref` is a token, or a session id with the token as bearer. */
export async function present(
  namespace: Namespace,
  ref: string,
  authorization: string | null,
  caller: Caller,
  guard: Guard,
): Promise<Result<Presented, Failure>> {
  const bearer = authorization === null ? null : (BEARER.exec(authorization)?.[1] ?? null);
  const isToken = ref.startsWith(TOKEN_PREFIX);
  if (!isToken && bearer === null) return refuse({ code: "credential_missing" });
  if (isToken && bearer?.startsWith(TOKEN_PREFIX) && bearer !== ref) {
    return refuse(invalid("the path and the Authorization header carry different tokens"));
  }
  const parts = parseToken(isToken ? ref : (bearer ?? ""));
  const what = parts?.objectIdHex ?? MALFORMED;
  const barred = guard.barred("wrongToken", what);
  if (barred !== null) return refuse(barred);
  const isOfPath = isToken || objectIdHexOf(ref) === parts?.objectIdHex;
  const objectId = parts === null || !isOfPath ? null : authenticId(namespace, what);
  if (parts === null || objectId === null) {
    return refuse(await guard.wrong(what, TOKEN_INVALID));
  }
  const { participant, issuedSeq, secret } = parts;
  return ok({
    objectId,
    sessionId: sessionIdFromHex(parts.objectIdHex),
    credential: {
      participant,
      issuedSeq,
      hash: await hashSecret(secret),
      from: await caller.origin(),
    },
    secret,
  });
}

/** The platform checks the id's MAC, so a forged one ends here and wakes nothing. */
function authenticId(namespace: Namespace, hex: string): DurableObjectId | null {
  try {
    return namespace.idFromString(hex);
  } catch {
    return null;
  }
}
