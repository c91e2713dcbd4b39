/** What the ARCP face needs of sessions beside the common use cases. Secrets are drawn and hashed here. */
import { locate } from "./locations";
import type { Origin } from "../domain/participants/binding";
import { CREATOR } from "../domain/session/create";
import type { Failure } from "../domain/failure";
import { sessionIdFromHex } from "../domain/ids";
import { parseJobId, type ClosePolicy } from "../domain/jobs/job";
import type { JobEvent } from "../domain/jobs/job-rules";
import type { JsonObject } from "../domain/json";
import { scopesOf } from "../domain/owners/open";
import type { ArcpBinding } from "../domain/participants/participant";
import { refuse, type Result } from "../domain/result";
import type { SessionView } from "../domain/session/view";
import type { Watched, WatchRequest } from "../object/job-messages";
import type { Reply } from "../object/messages";
import { resolveBind } from "./bind";
import { Follower } from "./follower";
import { counted } from "./guard";
import {
  admitCreator,
  heldBy,
  holderByKey,
  noteCreator,
  rightProblem,
  type Creator,
} from "./owner-keys";
import { MALFORMED, UseCases, type GatewayReply, type Presented } from "./session-calls";
import { askVacancy } from "./quota";
import { drawSecret, hashBearer, hashOwnerBearer, hashPrincipal, hashSecret } from "./secrets";
import { ShownSession } from "./shown-session";
import { formatToken, parseToken, type RawToken } from "./token";

/** A session taken up by a connection. */
export interface Taken {
  readonly presented: Presented;
  readonly session: SessionView;
  readonly resumeToken: RawToken;
  /** Seq after which the log is to be followed. */
  readonly after: number;
  readonly watching: NonNullable<ArcpBinding["watching"]>;
}

/** What a bearer that is no key is counted as. */
const ARCP_KEY = "owner key over arcp";

/** Who is connected. */
export interface Bearer {
  /** Stands for the bearer, or for the owner where it is an owner's key. */
  readonly hash: Uint8Array;
  /** Of an owner's key, whose rights are looked up whenever they count. */
  readonly keyHash: string | null;
}

export class ArcpGateway extends UseCases {
  /** An owner's key stands for its owner, so that keys can be replaced. */
  bearer(token: string): Bearer {
    const holder = holderByKey(this.env, token);
    return holder === null
      ? { hash: hashBearer(token), keyHash: null }
      : { hash: hashOwnerBearer(holder.owner.name), keyHash: holder.key.keyHash };
  }

  /** `token` is the bearer as it came: where keys are listed, it or the handshake carries one. */
  async begin(
    bearer: Bearer,
    token: string,
    name: string,
    closePolicy: ClosePolicy,
  ): Promise<Reply<Taken>> {
    const creator = await this.#creatorBy(token);
    if (!creator.ok) return { ok: false, failure: creator.error };
    const { owner } = creator.value;
    const bound = resolveBind(undefined, "self", this.caller, this.env);
    if (!bound.ok) return { ok: false, failure: bound.error };
    const { objects } = this.calls;
    const place = locate(objects, this.env, {}, creator.value.holder?.owner ?? null, false);
    if (!place.ok) return { ok: false, failure: place.error };
    const location = place.value;
    const objectId = objects.newSession(location?.jurisdiction);
    const vacancy = await askVacancy(objects, this.env, objectId, owner);
    if (!vacancy.ok) return { ok: false, failure: vacancy.error };
    const secret = drawSecret();
    const hash = hashSecret(secret);
    const principal = hashPrincipal(bearer.hash, objectId.toString());
    const args = { title: "ARCP", actor: { id: name } };
    const arcp = { principal, closePolicy };
    const from = this.caller.origin();
    const asked = {
      args,
      token: hash,
      request: null,
      sealed: null,
      from,
      bound: bound.value.binding,
      belongs: owner === null ? null : { owner },
      location,
      ...vacancy.value,
      arcp,
    };
    const command = { kind: "create", ...asked } as const;
    const reply = await objects.write(objectId, command, location?.locationHint);
    if (!reply.ok) return reply;
    const { issuedSeq } = reply.value;
    const session = new ShownSession(reply.value.session).view;
    const taken = take(objectId, CREATOR, issuedSeq, secret, hash, from);
    return { ok: true, value: { ...taken, session, after: session.head, watching: [] } };
  }

  async #creatorBy(token: string): Promise<Result<Creator, Failure>> {
    const barred = this.calls.guard.barred("wrongToken", ARCP_KEY);
    if (barred !== null) return refuse(barred);
    const creator = admitCreator(this.env, this.caller.ownerKey ?? token, Date.now());
    if (creator.ok) {
      noteCreator(this.caller, creator.value);
      const limited = await this.calls.guard.count("create");
      return limited === null ? creator : refuse(limited);
    }
    const { error } = creator;
    if (error.code !== "token_invalid") return creator;
    return refuse(await this.calls.guard.wrong(ARCP_KEY, error));
  }

  /** A token that is none of ours is as unknown as one whose session is gone. */
  async resume(
    wanted: {
      readonly token: string;
      readonly lastEventSeq: number;
      readonly sessionId: string | null;
    },
    bearer: Bearer | null,
  ): Promise<Reply<Taken>> {
    const { token, lastEventSeq, sessionId } = wanted;
    const parts = parseToken(token);
    const what = parts?.objectIdHex ?? MALFORMED;
    const barred =
      this.calls.guard.barred("wrongToken", what) ?? this.calls.guard.barred("resume", what);
    if (barred !== null) return { ok: false, failure: barred };
    const isNamed = parts === null || sessionId === null || sessionId === sessionIdFromHex(what);
    const objectId = parts === null || !isNamed ? null : this.calls.objects.sessionAt(what);
    if (parts === null || objectId === null) {
      return { ok: false, failure: await this.calls.guard.wrong(what, { code: "gone" }) };
    }
    const { participant, issuedSeq } = parts;
    const from = this.caller.origin();
    const credential = { participant, issuedSeq, hash: hashSecret(parts.secret), from };
    const principal = bearer === null ? null : hashPrincipal(bearer.hash, what);
    const secret = drawSecret();
    const next = hashSecret(secret);
    const command = { kind: "arcpResume", credential, principal, lastEventSeq, next } as const;
    const reply = await this.calls.objects.write(objectId, command);
    if (!reply.ok) return counted(this.calls.guard, what, reply);
    await this.calls.guard.resumed(what);
    const { session, after, binding } = reply.value;
    const taken = take(objectId, participant, reply.value.issuedSeq, secret, next, from);
    return { ok: true, value: { ...taken, session, after, watching: binding.watching ?? [] } };
  }

  confirm(presented: Presented): Promise<GatewayReply<null>> {
    return this.calls.write(presented, "arcpConfirm", {});
  }

  note(presented: Presented, number: number, event: JobEvent): Promise<GatewayReply<boolean>> {
    return this.calls.write(presented, "noteJob", { number, event });
  }

  /** A job of any session that the same bearer began; `first` is the first number wanted. */
  async watch(bearer: Bearer, jobId: string, first: number | null): Promise<Reply<Watched>> {
    const problem = this.#watchProblem(bearer);
    if (problem !== null) return { ok: false, failure: problem };
    const place = this.#placeOf(bearer, jobId);
    if (place === null) return { ok: false, failure: { code: "not_found", what: "job" } };
    const { objectId, request } = place;
    return this.calls.objects.read(objectId, { kind: "watchJob", ...request, first });
  }

  keepWatching(
    presented: Presented,
    jobId: string,
    cursor: number | null,
  ): Promise<GatewayReply<null>> {
    return this.calls.write(presented, "keepWatching", { jobId, cursor });
  }

  mirror(
    presented: Presented,
    jobId: string,
    range: { readonly after: number; readonly upTo: number },
    events: readonly { readonly type: string; readonly payload: JsonObject }[],
  ): Promise<GatewayReply<null>> {
    return this.calls.write(presented, "mirror", { jobId, ...range, events });
  }

  /** Follows another session's log as its principal. */
  followJob(bearer: Bearer, jobId: string, after: number): Follower | null {
    const place = this.#placeOf(bearer, jobId);
    if (place === null) return null;
    const { objectId, request } = place;
    const { objects } = this.calls;
    const unlessRefused = async <T>(ask: () => Promise<Reply<T>>): Promise<Reply<T>> => {
      const problem = this.#watchProblem(bearer);
      return problem === null ? ask() : { ok: false, failure: problem };
    };
    const query = { kind: "watchEvents", ...request } as const;
    return new Follower(
      {
        read: (from) =>
          unlessRefused(() => objects.read(objectId, { ...query, after: from ?? after })),
        listen: () => unlessRefused(() => objects.listen(objectId, request)),
      },
      after,
      ["job.event", "job.result", "job.error"],
    );
  }

  /** All keys of an owner are one bearer, so looking into what another one began takes the right to read. */
  #watchProblem({ keyHash }: Bearer): Failure | null {
    if (keyHash === null) return null;
    const holder = heldBy(this.env, keyHash, Date.now());
    if (holder === null) return { code: "token_invalid", what: "key" };
    return scopesOf(holder.key.rights).includes("view") ? null : rightProblem(holder, "read");
  }

  #placeOf(
    bearer: Bearer,
    jobId: string,
  ): { readonly objectId: DurableObjectId; readonly request: WatchRequest } | null {
    const parts = parseJobId(jobId);
    const objectId = parts === null ? null : this.calls.objects.sessionAt(parts.objectIdHex);
    if (parts === null || objectId === null) return null;
    const principal = hashPrincipal(bearer.hash, parts.objectIdHex);
    const from = this.caller.origin();
    return { objectId, request: { number: parts.number, principal, from } };
  }
}

function take(
  objectId: DurableObjectId,
  participant: number,
  issuedSeq: number,
  secret: Uint8Array,
  hash: Presented["credential"]["hash"],
  from: Origin,
): Pick<Taken, "presented" | "resumeToken"> {
  const objectIdHex = objectId.toString();
  return {
    presented: {
      objectId,
      objectIdHex,
      sessionId: sessionIdFromHex(objectIdHex),
      credential: { participant, issuedSeq, hash, from },
      secret,
    },
    resumeToken: formatToken({ objectIdHex, participant, issuedSeq, secret }),
  };
}
