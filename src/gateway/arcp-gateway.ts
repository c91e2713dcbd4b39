/** What the ARCP face needs of sessions beside the common use cases. Secrets are drawn and hashed here. */
import type { Origin } from "../domain/binding";
import { CREATOR } from "../domain/create";
import type { Failure } from "../domain/failure";
import { sessionIdFromHex } from "../domain/ids";
import { parseJobId, type ClosePolicy } from "../domain/job";
import type { JobEvent } from "../domain/job-rules";
import type { JsonObject } from "../domain/json";
import { CREDENTIAL_HEADER } from "../domain/live-wire";
import type { ArcpBinding } from "../domain/participant";
import type { SessionView } from "../domain/view";
import type { Env } from "../env";
import type { JobPort, Watched, WatchRequest } from "../object/job-messages";
import type { Refusal, Reply, SessionPort } from "../object/messages";
import { resolveBind } from "./bind";
import type { Caller } from "./caller";
import { admitCreator } from "./creators";
import { Follower } from "./follower";
import type { GatewayReply } from "./gateway";
import { counted, Guard } from "./guard";
import { callObject } from "./platform-call";
import { authenticId, MALFORMED, type Presented } from "./presented";
import { drawSecret, hashBearer, hashPrincipal, hashSecret } from "./secrets";
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
const ARCP_KEY = "create key over arcp";

/** Hash of a bearer; stands for who is connected. */
export type Bearer = Uint8Array;

export class ArcpGateway {
  readonly #env: Env;
  readonly #caller: Caller;
  readonly #guard: Guard;
  readonly #sessions: Env["SESSION"];

  constructor(env: Env, caller: Caller) {
    this.#env = env;
    this.#caller = caller;
    this.#guard = new Guard(env, caller);
    this.#sessions = env.SESSION;
  }

  bearer(token: string): Bearer {
    return hashBearer(token);
  }

  /** `token` is the bearer as it came: where keys are listed, it or the handshake carries one. */
  async begin(
    bearer: Bearer,
    token: string,
    name: string,
    closePolicy: ClosePolicy,
  ): Promise<Reply<Taken>> {
    const refused = await this.#refusalToBegin(token);
    if (refused !== null) return { ok: false, failure: refused };
    const bound = resolveBind(undefined, "self", this.#caller, this.#env);
    if (!bound.ok) return { ok: false, failure: bound.error };
    const objectId = this.#sessions.newUniqueId();
    const secret = drawSecret();
    const hash = hashSecret(secret);
    const principal = hashPrincipal(bearer, objectId.toString());
    const args = { title: "ARCP", actor: { id: name } };
    const arcp = { principal, closePolicy };
    const reply = await this.#ask(objectId, false, (object) =>
      object.create({ args, token: hash, request: null, sealed: null, bound: bound.value, arcp }),
    );
    if (!reply.ok) return reply;
    const { issuedSeq } = reply.value;
    const session = new ShownSession(reply.value.session).view;
    const from = this.#caller.origin();
    const taken = take(objectId, CREATOR, issuedSeq, secret, hash, from);
    return { ok: true, value: { ...taken, session, after: session.head, watching: [] } };
  }

  async #refusalToBegin(token: string): Promise<Failure | null> {
    const barred = this.#guard.barred("wrongToken", ARCP_KEY);
    if (barred !== null) return barred;
    const creator = await admitCreator(this.#env, this.#caller.createKey ?? token);
    if (creator.ok) return this.#guard.count("create");
    const { error } = creator;
    return error.code === "token_invalid" ? this.#guard.wrong(ARCP_KEY, error) : error;
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
    const barred = this.#guard.barred("wrongToken", what) ?? this.#guard.barred("resume", what);
    if (barred !== null) return { ok: false, failure: barred };
    const isNamed = parts === null || sessionId === null || sessionId === sessionIdFromHex(what);
    const objectId = parts === null || !isNamed ? null : authenticId(this.#sessions, what);
    if (parts === null || objectId === null) {
      return { ok: false, failure: await this.#guard.wrong(what, { code: "gone" }) };
    }
    const { participant, issuedSeq } = parts;
    const from = this.#caller.origin();
    const credential = { participant, issuedSeq, hash: hashSecret(parts.secret), from };
    const principal = bearer === null ? null : hashPrincipal(bearer, what);
    const secret = drawSecret();
    const next = hashSecret(secret);
    // Repeatable: where the first answer was lost, the token presented is still good.
    const reply = await this.#ask(objectId, true, (object) =>
      object.arcpResume({ credential, principal, lastEventSeq, next }),
    );
    if (!reply.ok) return counted(this.#guard, what, reply);
    await this.#guard.resumed(what);
    const { session, after, binding } = reply.value;
    const taken = take(objectId, participant, reply.value.issuedSeq, secret, next, from);
    return { ok: true, value: { ...taken, session, after, watching: binding.watching ?? [] } };
  }

  async confirm({ objectId, credential }: Presented): Promise<void> {
    await this.#object(objectId).arcpConfirm(credential);
  }

  note({ objectId, credential }: Presented, number: number, event: JobEvent): Promise<boolean> {
    return this.#object(objectId).noteJob(credential, number, event);
  }

  /** A job of any session that the same bearer began; `from` is the first number wanted. */
  async watch(bearer: Bearer, jobId: string, from: number | null): Promise<Reply<Watched>> {
    const place = await this.#placeOf(bearer, jobId);
    if (place === null) return { ok: false, failure: { code: "not_found", what: "job" } };
    const { objectId, ...request } = place;
    return this.#ask(objectId, true, (object) => object.watchJob(request, from));
  }

  keepWatching(
    { objectId, credential }: Presented,
    jobId: string,
    cursor: number | null,
  ): Promise<Reply<null>> {
    return this.#ask(objectId, true, (object) => object.arcpWatch(credential, jobId, cursor));
  }

  mirror(
    { objectId, credential }: Presented,
    jobId: string,
    range: { readonly after: number; readonly upTo: number },
    events: readonly { readonly type: string; readonly payload: JsonObject }[],
  ): Promise<Reply<null>> {
    return this.#ask(objectId, true, (object) =>
      object.arcpMirror({ credential, jobId, ...range, events }),
    );
  }

  /** Follows another session's log as its principal. */
  async followJob(bearer: Bearer, jobId: string, after: number): Promise<Follower | null> {
    const place = await this.#placeOf(bearer, jobId);
    if (place === null) return null;
    const { objectId, ...request } = place;
    return new Follower(
      {
        read: (from) =>
          this.#ask(objectId, true, (object) => object.watchEvents(request, from ?? after)),
        listen: () => this.#listen(objectId, request),
      },
      after,
      ["job.event", "job.result", "job.error"],
    );
  }

  async #listen(objectId: DurableObjectId, request: object): Promise<GatewayReply<WebSocket>> {
    const headers = { Upgrade: "websocket", [CREDENTIAL_HEADER]: JSON.stringify(request) };
    return callObject(
      () => this.#sessions.get(objectId),
      true,
      async (stub) => {
        const response = await stub.fetch("http://object/listen", { headers });
        if (response.webSocket === null) return (await response.json()) as Refusal;
        response.webSocket.accept();
        return { ok: true, value: response.webSocket } as const;
      },
    );
  }

  async #placeOf(
    bearer: Bearer,
    jobId: string,
  ): Promise<({ objectId: DurableObjectId } & WatchRequest) | null> {
    const parts = parseJobId(jobId);
    const objectId = parts === null ? null : authenticId(this.#sessions, parts.objectIdHex);
    if (parts === null || objectId === null) return null;
    const principal = hashPrincipal(bearer, parts.objectIdHex);
    return { objectId, number: parts.number, principal, from: this.#caller.origin() };
  }

  #object(id: DurableObjectId): JobPort & SessionPort {
    return this.#sessions.get(id) as unknown as JobPort & SessionPort;
  }

  #ask<T>(
    id: DurableObjectId,
    isRepeatable: boolean,
    call: (object: JobPort & SessionPort) => Promise<Reply<T>>,
  ): Promise<Reply<T>> {
    return callObject(() => this.#object(id), isRepeatable, call);
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
