/**
 * From a credential to a call of its session: it is taken apart and routed, without asking an object.
 * Then what is barred is not called, a wrong secret is counted, and a refusal names the session only
 * to those who may know it.
 */
import { type SessionId, objectIdHexOf, sessionIdFromHex, type TokenHash } from "../domain/ids";
import type { Env } from "../env";
import type { RpcRequest, Reads, Writes } from "../object/session-rpc";
import type { AppendOutcome, AppendRequest, Refusal, Reply, Success } from "../object/messages";
import { bearerIn, type Caller } from "./caller";
import { countIfInvalid, RateLimiter } from "./rate-limiter";
import type { LiveSocket } from "./feed";
import { Objects } from "./objects";
import type { Credential } from "../domain/participants/admission";
import { invalid, type Failure } from "../domain/failure";
import { KEY_HOLDER } from "../domain/owners/key-holder";
import { KEY_PREFIX } from "../domain/owners/owners";
import { ok, refuse, type Result } from "../domain/result";
import type { RequestTelemetry } from "./request-telemetry";
import { admitKey, keyCredentialOf, type Holder } from "./owner-keys";
import { hashSecret } from "./secrets";
import { parseToken, TOKEN_PREFIX, type TokenParts } from "./token";

export interface UnverifiedCredential {
  readonly objectId: DurableObjectId;
  /** The same id as text, as it came: writing it out anew for every use would be a call each time. */
  readonly objectIdHex: string;
  readonly sessionId: SessionId;
  readonly hashed: Credential;
  readonly secret: Uint8Array;
  /** An owner's key, in place of a token: there is no next one. */
  readonly isKey?: true;
}

/** Stands for the routing part of what has none. */
export const MALFORMED = "malformed";
const TOKEN_INVALID: Failure = { code: "token_invalid" };
const UNKNOWN_SESSION: Failure = { code: "token_invalid", what: "session" };

/** What is written with it carries the trace of the request. */
export const withTrace = <C extends object>(credential: C, call: RequestTelemetry | null): C =>
  call === null || call.trace === null ? credential : { ...credential, trace: call.trace };

/** A refusal as a face shows it: the session's id only where the caller may know it. */
export interface GatewayRefusal extends Refusal {
  readonly sessionId?: SessionId;
}
export type GatewayReply<T> = Success<T> | GatewayRefusal;
/** What a use case gives back. */
export type AsyncReply<T> = Promise<GatewayReply<T>>;

/** What is asked, without who asks. */
export type WithoutCredential<T> = Omit<T, "credential" | "kind">;

export class SessionCalls {
  readonly objects: Objects;
  readonly rateLimiter: RateLimiter;
  readonly #caller: Caller;

  constructor(env: Env, caller: Caller) {
    this.objects = new Objects(env, caller.telemetry);
    this.rateLimiter = new RateLimiter(env, caller);
    this.#caller = caller;
  }

  /** `ref` is a token, or a session id with the token as bearer. */
  async readCredential(
    ref: string,
    authorization: string | null,
  ): Promise<Result<UnverifiedCredential>> {
    const bearer = bearerIn(authorization);
    const isToken = ref.startsWith(TOKEN_PREFIX);
    if (!isToken && bearer?.startsWith(KEY_PREFIX) === true) {
      const holder = await admitKey(this.#caller, bearer, this.rateLimiter);
      return holder.ok ? this.credentialFromKey(holder.value, ref) : holder;
    }
    if (!isToken && bearer === null) return refuse({ code: "credential_missing" });
    if (isToken && bearer?.startsWith(TOKEN_PREFIX) && bearer !== ref) {
      return refuse(invalid("the path and the Authorization header carry different tokens"));
    }
    const parts = parseToken(isToken ? ref : (bearer ?? ""));
    const what = parts?.objectIdHex ?? MALFORMED;
    const barred = this.rateLimiter.blockProblem("wrongToken", what);
    if (barred !== null) return refuse(barred);
    if (parts === null) return refuse(await this.rateLimiter.countInvalid(what, TOKEN_INVALID));
    const isOfPath = isToken || ref === sessionIdFromHex(parts.objectIdHex);
    const objectId = isOfPath ? this.objects.sessionAt(parts.objectIdHex) : null;
    if (objectId === null) return refuse(await this.rateLimiter.countInvalid(what, TOKEN_INVALID));
    return ok(this.credentialFromToken(objectId, parts));
  }

  /** The holder of a token. */
  credentialFromToken(objectId: DurableObjectId, parts: TokenParts): UnverifiedCredential {
    const { objectIdHex, participant, issuedSeq, secret } = parts;
    const hash = hashSecret(secret);
    const hashed = { participant, issuedSeq, hash, from: this.#caller.origin() };
    return this.#traced({ objectId, objectIdHex, hashed, secret });
  }

  /** The holder of a key, for a session id. Whether the session is that owner's, it says itself. */
  async credentialFromKey(holder: Holder, ref: string): Promise<Result<UnverifiedCredential>> {
    const objectIdHex = objectIdHexOf(ref) ?? "";
    const objectId = this.objects.sessionAt(objectIdHex);
    if (objectId === null)
      return refuse(await this.rateLimiter.countInvalid(objectIdHex, UNKNOWN_SESSION));
    const none = { participant: KEY_HOLDER, issuedSeq: 0, hash: "" as TokenHash };
    const hashed = { ...none, owner: keyCredentialOf(holder), from: this.#caller.origin() };
    const secret = new Uint8Array();
    return ok(this.#traced({ objectId, objectIdHex, hashed, secret, isKey: true }));
  }

  /** What the request is logged under from here on, and what is written with it carries its trace. */
  #traced(parts: Omit<UnverifiedCredential, "sessionId">): UnverifiedCredential {
    const { telemetry } = this.#caller;
    const sessionId = sessionIdFromHex(parts.objectIdHex);
    if (telemetry !== null) telemetry.sessionId = sessionId;
    return { ...parts, sessionId, hashed: withTrace(parts.hashed, telemetry) };
  }

  write<K extends keyof Writes>(
    credential: UnverifiedCredential,
    kind: K,
    rest: WithoutCredential<Writes[K]["request"]>,
  ): AsyncReply<Writes[K]["value"]> {
    const command = { kind, ...rest, credential: credential.hashed };
    return this.#callSession(credential, () =>
      this.objects.write(credential.objectId, command as unknown as RpcRequest<Writes, K>),
    );
  }

  append(
    presented: UnverifiedCredential,
    batch: Omit<AppendRequest, "credential">,
  ): AsyncReply<AppendOutcome> {
    const { hashed, objectId } = presented;
    return this.#callSession(presented, () =>
      this.objects.append(objectId, { ...batch, credential: hashed }),
    );
  }

  read<K extends keyof Reads>(
    credential: UnverifiedCredential,
    kind: K,
    rest: WithoutCredential<Reads[K]["request"]>,
  ) {
    const query = { kind, ...rest, credential: credential.hashed };
    return this.#callSession(credential, () =>
      this.objects.read(credential.objectId, query as unknown as RpcRequest<Reads, K>),
    );
  }

  listen(presented: UnverifiedCredential): AsyncReply<LiveSocket> {
    const { hashed, objectId } = presented;
    return this.#callSession(presented, () => this.objects.listen(objectId, hashed));
  }

  async #callSession<T>(
    { objectIdHex, sessionId }: UnverifiedCredential,
    ask: () => Promise<Reply<T>>,
  ): AsyncReply<T> {
    // A cookie comes here without having been looked at before.
    const barred = this.rateLimiter.blockProblem("wrongToken", objectIdHex);
    if (barred !== null) return { ok: false, failure: barred };
    const reply = await ask();
    // A holder of a wrong secret learns nothing, not even that the id is right.
    if (reply.ok || reply.failure.code !== "token_invalid") {
      return reply.ok ? reply : { ...reply, sessionId };
    }
    return countIfInvalid(this.rateLimiter, objectIdHex, reply);
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
