/**
 * Parses a credential and calls the session that it names. Parsing calls no object. A blocked caller
 * does not reach the session, an invalid secret is counted, and a refusal names the session only to
 * callers who may know it.
 */
import { type SessionId, objectIdHexOf, sessionIdFromHex, type TokenHash } from "../domain/ids";
import type { Env } from "../env";
import type { RpcRequest, ReadRpcs, WriteRpcs } from "../object/session-rpc";
import type { AppendOutcome, AppendRequest, Refusal, Reply, Success } from "../object/messages";
import { bearerIn, type Caller } from "./caller";
import { countIfInvalid, RateLimiter } from "./rate-limiter";
import type { LiveSocket } from "./feed";
import { Objects } from "./objects";
import type { Credential } from "../domain/participants/admission";
import { invalid, type Failure } from "../domain/failure";
import type { LeaseRef } from "../domain/leases/lease";
import { KEY_HOLDER } from "../domain/owners/key-holder";
import { KEY_PREFIX } from "../domain/owners/owners";
import { ok, refuse, type Result } from "../domain/result";
import type { RequestTelemetry } from "./request-telemetry";
import { admitKey, keyCredentialOf, type Holder } from "./owner-keys";
import { hashSecret } from "./secrets";
import { parseToken, TOKEN_PREFIX, type TokenParts } from "./token";

export interface UnverifiedCredential {
  readonly objectId: DurableObjectId;
  /** The same id as text, as it was received: formatting it for every use would be a platform call each. */
  readonly objectIdHex: string;
  readonly sessionId: SessionId;
  readonly hashed: Credential;
  readonly secret: Uint8Array;
  /** An owner's key instead of a token: there is no next token. */
  readonly isKey?: true;
}

/** Used as the rate limit's key if a credential cannot be parsed. */
export const MALFORMED = "malformed";
const TOKEN_INVALID: Failure = { code: "token_invalid" };
const UNKNOWN_SESSION: Failure = { code: "token_invalid", what: "session" };

/** Adds the request's trace, which the object writes to the log. */
export const withTrace = <C extends object>(message: C, telemetry: RequestTelemetry | null): C =>
  telemetry === null || telemetry.trace === null ? message : { ...message, trace: telemetry.trace };

/** The same credential, for a request that names a lease: the session checks that it is held. */
export const underLease = (
  credential: UnverifiedCredential,
  lease: LeaseRef,
): UnverifiedCredential => ({ ...credential, hashed: { ...credential.hashed, lease } });

/** The session's id is present only if the caller may know it. */
export interface GatewayRefusal extends Refusal {
  readonly sessionId?: SessionId;
}
export type GatewayReply<T> = Success<T> | GatewayRefusal;
export type AsyncReply<T> = Promise<GatewayReply<T>>;

/** A request before its kind and credential are added. */
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

  /**
   * `ref` is a token, or a session id with the token as bearer. `lease` is the lease that the
   * request names.
   */
  async readCredential(
    ref: string,
    authorization: string | null,
    lease: LeaseRef | null = null,
  ): Promise<Result<UnverifiedCredential>> {
    const credential = await this.#readCredential(ref, authorization);
    return credential.ok && lease !== null ? ok(underLease(credential.value, lease)) : credential;
  }

  async #readCredential(
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
    const blocked = this.rateLimiter.blockProblem("wrongToken", what);
    if (blocked !== null) return refuse(blocked);
    if (parts === null) return refuse(await this.rateLimiter.countInvalid(what, TOKEN_INVALID));
    const matchesPath = isToken || ref === sessionIdFromHex(parts.objectIdHex);
    const objectId = matchesPath ? this.objects.sessionAt(parts.objectIdHex) : null;
    if (objectId === null) return refuse(await this.rateLimiter.countInvalid(what, TOKEN_INVALID));
    return ok(this.credentialFromToken(objectId, parts));
  }

  credentialFromToken(objectId: DurableObjectId, parts: TokenParts): UnverifiedCredential {
    const { objectIdHex, participant, issuedSeq, secret } = parts;
    const hash = hashSecret(secret);
    const hashed = { participant, issuedSeq, hash, from: this.#caller.origin() };
    return this.#traced({ objectId, objectIdHex, hashed, secret });
  }

  /** For a session id. The session itself checks that it belongs to the key's owner. */
  async credentialFromKey(holder: Holder, ref: string): Promise<Result<UnverifiedCredential>> {
    const objectIdHex = objectIdHexOf(ref) ?? "";
    const objectId = this.objects.sessionAt(objectIdHex);
    if (objectId === null)
      return refuse(await this.rateLimiter.countInvalid(objectIdHex, UNKNOWN_SESSION));
    const noToken = { participant: KEY_HOLDER, issuedSeq: 0, hash: "" as TokenHash };
    const hashed = { ...noToken, owner: keyCredentialOf(holder), from: this.#caller.origin() };
    const secret = new Uint8Array();
    return ok(this.#traced({ objectId, objectIdHex, hashed, secret, isKey: true }));
  }

  /** Logs the session's id with the request, and adds the request's trace to the credential. */
  #traced(parts: Omit<UnverifiedCredential, "sessionId">): UnverifiedCredential {
    const { telemetry } = this.#caller;
    const sessionId = sessionIdFromHex(parts.objectIdHex);
    if (telemetry !== null) telemetry.sessionId = sessionId;
    return { ...parts, sessionId, hashed: withTrace(parts.hashed, telemetry) };
  }

  write<K extends keyof WriteRpcs>(
    credential: UnverifiedCredential,
    kind: K,
    rest: WithoutCredential<WriteRpcs[K]["request"]>,
  ): AsyncReply<WriteRpcs[K]["value"]> {
    const command = { kind, ...rest, credential: credential.hashed };
    return this.#callSession(credential, () =>
      this.objects.write(credential.objectId, command as unknown as RpcRequest<WriteRpcs, K>),
    );
  }

  append(
    credential: UnverifiedCredential,
    batch: Omit<AppendRequest, "credential">,
  ): AsyncReply<AppendOutcome> {
    const { hashed, objectId } = credential;
    return this.#callSession(credential, () =>
      this.objects.append(objectId, { ...batch, credential: hashed }),
    );
  }

  read<K extends keyof ReadRpcs>(
    credential: UnverifiedCredential,
    kind: K,
    rest: WithoutCredential<ReadRpcs[K]["request"]>,
  ) {
    const query = { kind, ...rest, credential: credential.hashed };
    return this.#callSession(credential, () =>
      this.objects.read(credential.objectId, query as unknown as RpcRequest<ReadRpcs, K>),
    );
  }

  listen(credential: UnverifiedCredential): AsyncReply<LiveSocket> {
    const { hashed, objectId } = credential;
    return this.#callSession(credential, () => this.objects.listen(objectId, hashed));
  }

  async #callSession<T>(
    { objectIdHex, sessionId }: UnverifiedCredential,
    call: () => Promise<Reply<T>>,
  ): AsyncReply<T> {
    // A cookie was not checked for a block before.
    const blocked = this.rateLimiter.blockProblem("wrongToken", objectIdHex);
    if (blocked !== null) return { ok: false, failure: blocked };
    const reply = await call();
    // The holder of a wrong secret learns nothing, not even that the id is right.
    if (reply.ok || reply.failure.code !== "token_invalid") {
      return reply.ok ? reply : { ...reply, sessionId };
    }
    return countIfInvalid(this.rateLimiter, objectIdHex, reply);
  }
}

/** The base of all use cases: the settings, the caller, and the calls to objects. */
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
