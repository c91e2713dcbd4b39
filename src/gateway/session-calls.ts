/**
 * From a credential to a call of its session: it is taken apart and routed, without asking an object.
 * Then what is barred is not called, a wrong secret is counted, and a refusal names the session only
 * to those who may know it.
 */
import { type SessionId, objectIdHexOf, sessionIdFromHex, type TokenHash } from "../domain/ids";
import type { Env } from "../env";
import type { Asking, Reads, Writes } from "../object/door";
import type { Appended, AppendRequest, Refusal, Reply, Success } from "../object/messages";
import { bearerIn, type Caller } from "./caller";
import { counted, Guard } from "./guard";
import type { Listening } from "./feed";
import { Objects } from "./objects";
import type { Credential } from "../domain/participants/admission";
import { invalid, type Failure } from "../domain/failure";
import { KEY_HOLDER } from "../domain/owners/key-holder";
import { KEY_PREFIX } from "../domain/owners/owners";
import { ok, refuse, type Result } from "../domain/result";
import type { Call } from "./call";
import { admitKey, credentialOf, type Holder } from "./owner-keys";
import { hashSecret } from "./secrets";
import { parseToken, TOKEN_PREFIX, type TokenParts } from "./token";

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
const UNKNOWN_SESSION: Failure = { code: "token_invalid", what: "session" };

/** What is written with it carries the trace of the request. */
export const inTrace = <C extends object>(credential: C, call: Call | null): C =>
  call === null || call.trace === null ? credential : { ...credential, trace: call.trace };

/** A refusal as a face shows it: the session's id only where the caller may know it. */
export interface GatewayRefusal extends Refusal {
  readonly sessionId?: SessionId;
}
export type GatewayReply<T> = Success<T> | GatewayRefusal;
/** What a use case gives back. */
export type Answered<T> = Promise<GatewayReply<T>>;

/** What is asked, without who asks. */
export type Unsigned<T> = Omit<T, "credential" | "kind">;

export class SessionCalls {
  readonly objects: Objects;
  readonly guard: Guard;
  readonly #caller: Caller;

  constructor(env: Env, caller: Caller) {
    this.objects = new Objects(env, caller.call);
    this.guard = new Guard(env, caller);
    this.#caller = caller;
  }

  /** `ref` is a token, or a session id with the token as bearer. */
  async readCredential(ref: string, authorization: string | null): Promise<Result<Presented>> {
    const bearer = bearerIn(authorization);
    const isToken = ref.startsWith(TOKEN_PREFIX);
    if (!isToken && bearer?.startsWith(KEY_PREFIX) === true) {
      const holder = await admitKey(this.#caller, bearer, this.guard);
      return holder.ok ? this.presentedBy(holder.value, ref) : holder;
    }
    if (!isToken && bearer === null) return refuse({ code: "credential_missing" });
    if (isToken && bearer?.startsWith(TOKEN_PREFIX) && bearer !== ref) {
      return refuse(invalid("the path and the Authorization header carry different tokens"));
    }
    const parts = parseToken(isToken ? ref : (bearer ?? ""));
    const what = parts?.objectIdHex ?? MALFORMED;
    const barred = this.guard.barred("wrongToken", what);
    if (barred !== null) return refuse(barred);
    if (parts === null) return refuse(await this.guard.wrong(what, TOKEN_INVALID));
    const isOfPath = isToken || ref === sessionIdFromHex(parts.objectIdHex);
    const objectId = isOfPath ? this.objects.sessionAt(parts.objectIdHex) : null;
    if (objectId === null) return refuse(await this.guard.wrong(what, TOKEN_INVALID));
    return ok(this.presentedWith(objectId, parts));
  }

  /** The holder of a token. */
  presentedWith(objectId: DurableObjectId, parts: TokenParts): Presented {
    const { objectIdHex, participant, issuedSeq, secret } = parts;
    const hash = hashSecret(secret);
    const credential = { participant, issuedSeq, hash, from: this.#caller.origin() };
    return this.#presentedAs({ objectId, objectIdHex, credential, secret });
  }

  /** The holder of a key, for a session id. Whether the session is that owner's, it says itself. */
  async presentedBy(holder: Holder, ref: string): Promise<Result<Presented>> {
    const objectIdHex = objectIdHexOf(ref) ?? "";
    const objectId = this.objects.sessionAt(objectIdHex);
    if (objectId === null) return refuse(await this.guard.wrong(objectIdHex, UNKNOWN_SESSION));
    const none = { participant: KEY_HOLDER, issuedSeq: 0, hash: "" as TokenHash };
    const credential = { ...none, owner: credentialOf(holder), from: this.#caller.origin() };
    const secret = new Uint8Array();
    return ok(this.#presentedAs({ objectId, objectIdHex, credential, secret, isKey: true }));
  }

  /** What the request is logged under from here on, and what is written with it carries its trace. */
  #presentedAs(parts: Omit<Presented, "sessionId">): Presented {
    const { call } = this.#caller;
    const sessionId = sessionIdFromHex(parts.objectIdHex);
    if (call !== null) call.sessionId = sessionId;
    return { ...parts, sessionId, credential: inTrace(parts.credential, call) };
  }

  write<K extends keyof Writes>(
    presented: Presented,
    kind: K,
    rest: Unsigned<Writes[K]["request"]>,
  ): Answered<Writes[K]["value"]> {
    const command = { kind, ...rest, credential: presented.credential };
    return this.#known(presented, () =>
      this.objects.write(presented.objectId, command as unknown as Asking<Writes, K>),
    );
  }

  append(presented: Presented, batch: Omit<AppendRequest, "credential">): Answered<Appended> {
    const { credential, objectId } = presented;
    return this.#known(presented, () => this.objects.append(objectId, { ...batch, credential }));
  }

  read<K extends keyof Reads>(presented: Presented, kind: K, rest: Unsigned<Reads[K]["request"]>) {
    const query = { kind, ...rest, credential: presented.credential };
    return this.#known(presented, () =>
      this.objects.read(presented.objectId, query as unknown as Asking<Reads, K>),
    );
  }

  listen(presented: Presented): Answered<Listening> {
    const { credential, objectId } = presented;
    return this.#known(presented, () => this.objects.listen(objectId, credential));
  }

  async #known<T>(
    { objectIdHex, sessionId }: Presented,
    ask: () => Promise<Reply<T>>,
  ): Answered<T> {
    // A cookie comes here without having been looked at before.
    const barred = this.guard.barred("wrongToken", objectIdHex);
    if (barred !== null) return { ok: false, failure: barred };
    const reply = await ask();
    // A holder of a wrong secret learns nothing, not even that the id is right.
    if (reply.ok || reply.failure.code !== "token_invalid") {
      return reply.ok ? reply : { ...reply, sessionId };
    }
    return counted(this.guard, objectIdHex, reply);
  }
}

/** What every kind of use case is made of: the deployment, who calls, and the way to its objects. */
export abstract class UseCases {
  protected readonly env: Env;
  protected readonly caller: Caller;
  protected readonly calls: SessionCalls;

  constructor(env: Env, caller: Caller) {
    this.env = env;
    this.caller = caller;
    this.calls = new SessionCalls(env, caller);
  }
}
