/** The use cases that only ARCP needs, on top of the common ones. Secrets are generated and hashed here. */
import { resolveLocation } from "./locations";
import { CREATOR } from "../domain/session/create";
import type { Failure } from "../domain/failure";
import { sessionIdFromHex } from "../domain/ids";
import { parseJobId, type ClosePolicy } from "../domain/jobs/job";
import { scopesOfRights } from "../domain/owners/open-by-key";
import type { ArcpBinding } from "../domain/participants/participant";
import { omitUndefined, refuse, type Result } from "../domain/result";
import type { SessionView } from "../domain/session/view";
import type { WatchedJob } from "../object/job-messages";
import type { WriteRpcs } from "../object/session-rpc";
import type { Reply } from "../object/messages";
import { SessionCreator } from "./session-creator";
import { resolveBind } from "./bind";
import { Follower } from "./follower";
import { countIfInvalid } from "./rate-limiter";
import { holderByHash, holderByKey, rightProblem, type Creator } from "./owner-keys";
import {
  MALFORMED,
  type AsyncReply,
  type UnverifiedCredential,
  type WithoutCredential,
} from "./session-calls";
import { requestQuotaPermit } from "./quota-permit";
import { generateSecret, hashBearer, hashOwnerBearer, hashPrincipal, hashSecret } from "./secrets";
import { SerializedSession } from "./serialized-session";
import { formatToken, parseToken, type RawToken } from "./token";

/** A session that a connection has created or resumed. */
export interface ArcpSession {
  readonly credential: UnverifiedCredential;
  /** Of the owner only if the participant is not narrowed. */
  readonly view: Pick<SessionView, "expiresAt" | "head" | "owner">;
  readonly resumeToken: RawToken;
  /** The seq after which to follow the log. */
  readonly after: number;
  readonly watching: NonNullable<ArcpBinding["watching"]>;
}

export interface ResumeInput {
  readonly token: string;
  readonly lastEventSeq: number;
  readonly sessionId: string | null;
}

/** The bearer that authenticated a connection. */
export interface Bearer {
  /** The hash of the bearer, or of the owner's name if the bearer is an owner's key. */
  readonly hash: Uint8Array;
  /** Of an owner's key. Its rights are looked up each time they are needed. */
  readonly keyHash: string | null;
}

export class ArcpGateway extends SessionCreator {
  /** An owner's key is identified by its owner, so that keys can be replaced. */
  bearer(token: string): Bearer {
    const holder = holderByKey(this.env, token);
    return holder === null
      ? { hash: hashBearer(token), keyHash: null }
      : { hash: hashOwnerBearer(holder.owner.name), keyHash: holder.key.keyHash };
  }

  /** `token` is the raw bearer. If owners are listed, it or the handshake carries an owner's key. */
  async createSession(
    bearer: Bearer,
    token: string,
    name: string,
    closePolicy: ClosePolicy,
  ): Promise<Reply<ArcpSession>> {
    const creator = await this.#admitCreatorByToken(token);
    if (!creator.ok) return { ok: false, failure: creator.error };
    const { owner, holder } = creator.value;
    const bound = resolveBind(undefined, "self", this.caller, this.env);
    if (!bound.ok) return { ok: false, failure: bound.error };
    const { objects } = this.calls;
    const resolved = resolveLocation(objects, this.env, {}, holder?.owner ?? null, false);
    if (!resolved.ok) return { ok: false, failure: resolved.error };
    const location = resolved.value;
    const objectId = objects.newSession(location?.jurisdiction);
    const permit = await requestQuotaPermit(objects, this.env, objectId, owner);
    if (!permit.ok) return { ok: false, failure: permit.error };
    const secret = generateSecret();
    const principal = hashPrincipal(bearer.hash, objectId.toString());
    const command = {
      kind: "create",
      args: { title: "ARCP", actor: { id: name } },
      token: hashSecret(secret),
      request: null,
      sealed: null,
      from: this.caller.origin(),
      bound: bound.value.binding,
      belongs: owner === null ? null : { owner, ...omitUndefined({ key: holder?.key.name }) },
      location,
      ...permit.value,
      arcp: { principal, closePolicy },
    } as const;
    const reply = await objects.write(objectId, command, location?.locationHint);
    if (!reply.ok) return reply;
    const { issuedSeq } = reply.value;
    const view = new SerializedSession(reply.value.session).view;
    const issued = this.#issueCredential(objectId, CREATOR, issuedSeq, secret);
    return { ok: true, value: { ...issued, view, after: view.head, watching: [] } };
  }

  async #admitCreatorByToken(token: string): Promise<Result<Creator>> {
    const creator = await this.admitCreator(this.caller.ownerKey ?? token);
    const limited = creator.ok ? await this.calls.rateLimiter.count("create") : null;
    return limited === null ? creator : refuse(limited);
  }

  /** A foreign token gets the same answer as one whose session is gone. */
  async resume(
    { token, lastEventSeq, sessionId }: ResumeInput,
    bearer: Bearer | null,
  ): Promise<Reply<ArcpSession>> {
    const parts = parseToken(token);
    const what = parts?.objectIdHex ?? MALFORMED;
    const blocked =
      this.calls.rateLimiter.blockProblem("wrongToken", what) ??
      this.calls.rateLimiter.blockProblem("resume", what);
    if (blocked !== null) return { ok: false, failure: blocked };
    const isNamed = parts === null || sessionId === null || sessionId === sessionIdFromHex(what);
    const objectId = parts === null || !isNamed ? null : this.calls.objects.sessionAt(what);
    if (parts === null || objectId === null) {
      return {
        ok: false,
        failure: await this.calls.rateLimiter.countInvalid(what, { code: "gone" }),
      };
    }
    const { participant, issuedSeq } = parts;
    const from = this.caller.origin();
    const credential = { participant, issuedSeq, hash: hashSecret(parts.secret), from };
    const principal = bearer === null ? null : hashPrincipal(bearer.hash, what);
    const secret = generateSecret();
    const next = hashSecret(secret);
    const command = { kind: "arcpResume", credential, principal, lastEventSeq, next } as const;
    const reply = await this.calls.objects.write(objectId, command);
    if (!reply.ok) return countIfInvalid(this.calls.rateLimiter, what, reply);
    await this.calls.rateLimiter.countResume(what);
    const { session: view, after, binding } = reply.value;
    const issued = this.#issueCredential(objectId, participant, reply.value.issuedSeq, secret);
    return { ok: true, value: { ...issued, view, after, watching: binding.watching ?? [] } };
  }

  /** Writes to the connection's own session. */
  save<K extends "arcpConfirm" | "recordJobEvent" | "saveWatchCursor" | "mirrorEvents">(
    credential: UnverifiedCredential,
    kind: K,
    rest: WithoutCredential<WriteRpcs[K]["request"]>,
  ): AsyncReply<WriteRpcs[K]["value"]> {
    return this.calls.write(credential, kind, rest);
  }

  /** A job of any session that the same bearer created; `first` is the first event number to replay. */
  async watch(bearer: Bearer, jobId: string, first: number | null): Promise<Reply<WatchedJob>> {
    const problem = this.#watchProblem(bearer);
    if (problem !== null) return { ok: false, failure: problem };
    const job = this.#locateJob(bearer, jobId);
    if (job === null) return { ok: false, failure: { code: "not_found", what: "job" } };
    const { objectId, request } = job;
    return this.calls.objects.read(objectId, { kind: "watchJob", ...request, first });
  }

  /** Follows the log of another session as its principal. */
  followJob(bearer: Bearer, jobId: string, after: number): Follower | null {
    const job = this.#locateJob(bearer, jobId);
    if (job === null) return null;
    const { objectId, request } = job;
    const { objects } = this.calls;
    const withRightCheck = async <T>(call: () => Promise<Reply<T>>): Promise<Reply<T>> => {
      const problem = this.#watchProblem(bearer);
      return problem === null ? call() : { ok: false, failure: problem };
    };
    const query = { kind: "watchEvents", ...request } as const;
    return new Follower(
      {
        read: (from) =>
          withRightCheck(() => objects.read(objectId, { ...query, after: from ?? after })),
        listen: () => withRightCheck(() => objects.listen(objectId, request)),
      },
      after,
      ["job.event", "job.result", "job.error"],
    );
  }

  /** All keys of an owner are one bearer, so watching what another key created needs the right to read. */
  #watchProblem({ keyHash }: Bearer): Failure | null {
    if (keyHash === null) return null;
    const holder = holderByHash(this.env, keyHash, Date.now());
    if (holder === null) return { code: "token_invalid", what: "key" };
    return scopesOfRights(holder.key.rights).includes("view") ? null : rightProblem(holder, "read");
  }

  #locateJob(bearer: Bearer, jobId: string) {
    const parts = parseJobId(jobId);
    const objectId = parts === null ? null : this.calls.objects.sessionAt(parts.objectIdHex);
    if (parts === null || objectId === null) return null;
    const principal = hashPrincipal(bearer.hash, parts.objectIdHex);
    const from = this.caller.origin();
    return { objectId, request: { number: parts.number, principal, from } };
  }

  #issueCredential(
    objectId: DurableObjectId,
    participant: number,
    issuedSeq: number,
    secret: Uint8Array,
  ) {
    const parts = { objectIdHex: objectId.toString(), participant, issuedSeq, secret };
    return {
      credential: this.calls.credentialFromToken(objectId, parts),
      resumeToken: formatToken(parts),
    };
  }
}
