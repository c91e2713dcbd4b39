/** From `:ref` and Authorization to a routable credential. Nothing here reaches an object. */
import type { Credential } from "../domain/participants/admission";
import { invalid, type Failure } from "../domain/failure";
import { objectIdHexOf, sessionIdFromHex, type SessionId, type TokenHash } from "../domain/ids";
import { KEY_HOLDER } from "../domain/owners/key-holder";
import { KEY_PREFIX } from "../domain/owners/owners";
import { ok, refuse, type Result } from "../domain/result";
import type { Call } from "./call";
import type { Caller } from "./caller";
import type { Guard } from "./guard";
import type { Objects } from "./objects";
import { admitKey, credentialOf, type Holder } from "./owner-keys";
import { hashSecret } from "./secrets";
import { parseToken, TOKEN_PREFIX } from "./token";

export interface Presented {
  readonly objectId: DurableObjectId;
  /** The same id as text, as it came: writing it out anew for every use would be a call each time. */
  readonly objectIdHex: string;
  readonly sessionId: SessionId;
  readonly credential: Credential;
  readonly secret: Uint8Array;
  /** An owner's key, in place of a token: there is no next one. */
  readonly isKey?: true;
}

/** Stands for the routing part of what has none. */
export const MALFORMED = "malformed";
const TOKEN_INVALID: Failure = { code: "token_invalid" };
const BEARER = /^Bearer +(\S+) *$/i;

/** `ref` is a token, or a session id with the token as bearer. */
export async function readCredential(
  objects: Objects,
  ref: string,
  authorization: string | null,
  caller: Caller,
  guard: Guard,
): Promise<Result<Presented, Failure>> {
  const bearer = authorization === null ? null : (BEARER.exec(authorization)?.[1] ?? null);
  const isToken = ref.startsWith(TOKEN_PREFIX);
  if (!isToken && bearer?.startsWith(KEY_PREFIX) === true) {
    return readKey(objects, ref, bearer, caller, guard);
  }
  if (!isToken && bearer === null) return refuse({ code: "credential_missing" });
  if (isToken && bearer?.startsWith(TOKEN_PREFIX) && bearer !== ref) {
    return refuse(invalid("the path and the Authorization header carry different tokens"));
  }
  const parts = parseToken(isToken ? ref : (bearer ?? ""));
  const what = parts?.objectIdHex ?? MALFORMED;
  const barred = guard.barred("wrongToken", what);
  if (barred !== null) return refuse(barred);
  if (parts === null) return refuse(await guard.wrong(what, TOKEN_INVALID));
  const { objectIdHex, participant, issuedSeq, secret } = parts;
  const sessionId = sessionIdFromHex(objectIdHex);
  const isOfPath = isToken || ref === sessionId;
  const objectId = isOfPath ? objects.sessionAt(objectIdHex) : null;
  if (objectId === null) return refuse(await guard.wrong(what, TOKEN_INVALID));
  const { call } = caller;
  if (call !== null) call.sessionId = sessionId;
  const hash = hashSecret(secret);
  const credential = { participant, issuedSeq, hash, from: caller.origin() };
  const traced = inTrace(credential, call);
  return ok({ objectId, objectIdHex, sessionId, credential: traced, secret });
}

/** `ref` is a session id. Whether the session is that owner's, the session itself says. */
async function readKey(
  objects: Objects,
  ref: string,
  bearer: string,
  caller: Caller,
  guard: Guard,
): Promise<Result<Presented, Failure>> {
  const holder = await admitKey(caller, bearer, guard);
  return holder.ok ? presentedBy(objects, ref, holder.value, caller, guard) : holder;
}

/** The same for one whose key was recognised before. */
export async function presentedBy(
  objects: Objects,
  ref: string,
  holder: Holder,
  caller: Caller,
  guard: Guard,
): Promise<Result<Presented, Failure>> {
  const objectIdHex = objectIdHexOf(ref) ?? "";
  const objectId = objects.sessionAt(objectIdHex);
  if (objectId === null) return refuse(await guard.wrong(objectIdHex, TOKEN_INVALID));
  const { call } = caller;
  const sessionId = sessionIdFromHex(objectIdHex);
  if (call !== null) call.sessionId = sessionId;
  const none = { participant: KEY_HOLDER, issuedSeq: 0, hash: "" as TokenHash };
  const credential = { ...none, owner: credentialOf(holder), from: caller.origin() };
  const traced = inTrace(credential, call);
  const secret = new Uint8Array();
  return ok({ objectId, objectIdHex, sessionId, credential: traced, secret, isKey: true });
}

/** What is written with it carries the trace of the request. */
export const inTrace = <C extends object>(credential: C, call: Call | null): C =>
  call === null || call.trace === null ? credential : { ...credential, trace: call.trace };
