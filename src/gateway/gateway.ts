/**
 * The use cases that every face shares: a token goes in, an object is asked once, an answer with the
 * next token comes out. Secrets are drawn, hashed and sealed here and pass no further.
 */
import { batchOf } from "../domain/append";
import type { AppendedEvent, Command, CreateArguments } from "../domain/command";
import { invalid, type Failure } from "../domain/failure";
import { CREATOR } from "../domain/create";
import { codeFromBytes } from "../domain/link-code";
import { objectIdHexOf, type SessionId } from "../domain/ids";
import type { Json, JsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { refuse, type Result } from "../domain/result";
import type { StopReport } from "../domain/stop";
import type { HandoffView } from "../domain/view";
import type { Env } from "../env";
import type {
  Appended,
  EventsRequest,
  Page,
  Refusal,
  Resumable,
  Stopped,
  Validated,
} from "../object/messages";
import { keyOf, secretsOf, tokenOf } from "./answer-secrets";
import { resolveBind } from "./bind";
import type { Call } from "./call";
import type { Caller } from "./caller";
import { admitCreator } from "./creators";
import { Follower } from "./follower";
import { Guard } from "./guard";
import { traceLineage, type LineageEntry } from "./lineage";
import { inTrace, present, type Presented } from "./presented";
import { drawSecret, hashCreateKey, hashLinkCode, hashRequest, hashSecret, seal } from "./secrets";
import { SessionCalls } from "./session-calls";
import { ShownSession } from "./shown-session";
import type { CreateAnswer, WriteAnswer, WriteOptions } from "./write-answer";

/** A refusal as a face shows it: the session's id only where the caller may know it. */
export interface GatewayRefusal extends Refusal {
  readonly sessionId?: SessionId;
}
export type GatewayReply<T> = { readonly ok: true; readonly value: T } | GatewayRefusal;

export class Gateway {
  readonly #env: Env;
  readonly #caller: Caller;
  readonly #guard: Guard;
  readonly #sessions: Env["SESSION"];
  readonly #request: Call | null;
  readonly #calls: SessionCalls;
  #creator: ReturnType<typeof admitCreator> | undefined;

  constructor(env: Env, caller: Caller) {
    this.#env = env;
    this.#caller = caller;
    this.#guard = new Guard(env, caller);
    this.#sessions = env.SESSION;
    this.#request = caller.call;
    this.#calls = new SessionCalls(env.SESSION, this.#guard, caller.call);
  }

  /** May the caller begin sessions? Their name where keys are listed, else null. */
  async creator(): Promise<Result<string | null, Failure>> {
    const barred = this.#guard.barred("wrongToken", CREATE_KEY);
    if (barred !== null) return refuse(barred);
    this.#creator ??= this.#admitCreator();
    return this.#creator;
  }

  async #admitCreator(): ReturnType<typeof admitCreator> {
    const admitted = await admitCreator(this.#env, this.#caller.createKey);
    if (admitted.ok || admitted.error.code !== "token_invalid") return admitted;
    return refuse(await this.#guard.wrong(CREATE_KEY, admitted.error));
  }

  present(ref: string, authorization: string | null): ReturnType<typeof present> {
    return present(this.#sessions, ref, authorization, this.#caller, this.#guard);
  }

  async create(args: CreateArguments, key: string | null): Promise<GatewayReply<CreateAnswer>> {
    if (key !== null && key.length < LIMITS.createKeyMinLength) {
      const detail = `to begin a session the Idempotency-Key must be at least ${LIMITS.createKeyMinLength} random characters: it finds the session, so it must not be guessable`;
      return { ok: false, failure: invalid(detail, "Idempotency-Key") };
    }
    const creator = await this.creator();
    if (!creator.ok) return { ok: false, failure: creator.error };
    const bound = resolveBind(args.bind, "self", this.#caller, this.#env);
    if (!bound.ok) return { ok: false, failure: bound.error };
    const limited = await this.#guard.count("create");
    if (limited !== null) return { ok: false, failure: limited };
    const objectId =
      key === null
        ? this.#sessions.newUniqueId()
        : this.#sessions.idFromName(hashCreateKey(key, creator.value));
    const secret = drawSecret();
    const token = hashSecret(secret);
    const material = key === null ? null : new TextEncoder().encode(key);
    const request = key === null ? null : hashRequest("create", args, null, key);
    const sealed = material === null ? null : await seal(material, [secret]);
    const reply = await this.#calls.to(objectId, key !== null, (stub) =>
      stub.create(inTrace({ args, token, request, sealed, bound: bound.value }, this.#request)),
    );
    if (!reply.ok) return reply;
    if (this.#request !== null) this.#request.sessionId = reply.value.session.id;
    const [first] = await secretsOf(reply.value, material, [secret]);
    const resumeToken = tokenOf(
      objectId.toString(),
      reply.value.participant,
      reply.value.issuedSeq,
      first,
    );
    return {
      ok: true,
      value: {
        shown: new ShownSession(reply.value.session),
        resumeToken,
        replayed: reply.value.replayed,
      },
    };
  }

  async write(
    presented: Presented,
    command: Command,
    { ifMatch, idempotencyKey }: WriteOptions,
  ): Promise<GatewayReply<WriteAnswer>> {
    const { objectIdHex } = presented;
    const isFork = command.operation === "fork";
    const isResume = command.operation === "resume";
    const limited = isResume ? this.#guard.barred("resume", objectIdHex) : null;
    const refused = isFork ? await this.#guard.count("create") : limited;
    if (refused !== null) return { ok: false, failure: refused };
    const isLink = command.operation === "handoff" && command.to === "human";
    const secrets = [drawSecret()];
    if (isFork || command.operation === "handoff") secrets.push(drawSecret());
    const isKeyed = idempotencyKey !== null;
    const [next, made] = secrets.map(hashSecret);
    if (next === undefined) throw new Error("unreachable: a secret was drawn");
    const message = {
      credential: presented.credential,
      command,
      ifMatch,
      request: isKeyed ? hashRequest(command.operation, command, ifMatch, idempotencyKey) : null,
      next,
      made: made ?? null,
      ...(isLink && secrets[1] ? { link: hashLinkCode(codeFromBytes(secrets[1])) } : {}),
      ...(command.operation === "handoff"
        ? { bound: resolveBind(command.bind, command.to, this.#caller, this.#env) }
        : {}),
      child: isFork ? this.#sessions.newUniqueId().toString() : null,
      sealed: isKeyed ? await seal(presented.secret, secrets) : null,
    };
    const reply = await this.#calls.as(presented, isKeyed, (stub) => stub.write(message));
    if (!reply.ok) return reply;
    const { session, participant, issuedSeq, replayed, outcome, handoff, page, child } =
      reply.value;
    if (isResume) await this.#guard.resumed(objectIdHex);
    const [own, others] = await secretsOf(reply.value, presented.secret, secrets);
    const madeNumber = outcome["participant"];
    return {
      ok: true,
      value: {
        shown: new ShownSession(session),
        resumeToken: tokenOf(objectIdHex, participant, issuedSeq, own),
        replayed,
        outcome,
        handoff,
        participantToken:
          typeof madeNumber === "number" && others !== undefined && !isLink
            ? tokenOf(objectIdHex, madeNumber, issuedSeq, others)
            : null,
        code: isLink && others !== undefined ? codeFromBytes(others) : null,
        page,
        child,
        childToken:
          isFork && others !== undefined
            ? tokenOf(String(outcome["child"]), CREATOR, 1, others)
            : null,
      },
    };
  }

  async append(
    presented: Presented,
    events: readonly AppendedEvent[],
    expectedHead: number | null,
    { ifMatch, idempotencyKey }: WriteOptions,
  ): Promise<GatewayReply<Appended>> {
    const key = keyOf("append", { events, expectedHead }, ifMatch, idempotencyKey);
    const { credential } = presented;
    const message = { credential, batch: batchOf(events), expectedHead, ifMatch, key };
    return this.#calls.as(presented, key !== null, (stub) => stub.append(message));
  }

  async reportStop(
    presented: Presented,
    report: StopReport,
    idempotencyKey: string | null,
  ): Promise<GatewayReply<Stopped>> {
    const key = keyOf("stop", report, null, idempotencyKey);
    const { credential } = presented;
    return this.#calls.as(presented, key !== null, (stub) =>
      stub.reportStop({ credential, report, key }),
    );
  }

  checkpoints(presented: Presented): Promise<GatewayReply<readonly JsonObject[]>> {
    return this.#calls.as(presented, true, (stub) => stub.checkpoints(presented.credential));
  }

  checkpoint(presented: Presented, number: number): Promise<GatewayReply<JsonObject>> {
    return this.#calls.as(presented, true, (stub) => stub.checkpoint(presented.credential, number));
  }

  /** From the root through this session to its newest leaf. */
  async lineage(presented: Presented): Promise<GatewayReply<readonly LineageEntry[]>> {
    const own = await this.#calls.as(presented, true, (stub) => stub.lineage(presented.credential));
    if (!own.ok) return own;
    const relative = (id: SessionId) => {
      const objectId = this.#sessions.idFromString(objectIdHexOf(id) ?? "");
      return this.#calls.to(objectId, true, async (stub) => {
        return { ok: true, value: await stub.relative() } as const;
      });
    };
    return traceLineage(own.value, relative);
  }

  async get(presented: Presented): Promise<GatewayReply<ShownSession>> {
    const reply = await this.#calls.as(presented, true, (stub) => stub.get(presented.credential));
    return reply.ok ? { ok: true, value: new ShownSession(reply.value) } : reply;
  }

  events(
    presented: Presented,
    operation: EventsRequest["operation"],
    query: EventsRequest["query"],
  ): Promise<GatewayReply<Page>> {
    const { credential } = presented;
    return this.#calls.as(presented, true, (stub) => stub.events({ credential, operation, query }));
  }

  /** Follows the log from a cursor, or from the participant's own where none is given. */
  follow(presented: Presented, after: number | null, types: readonly string[]): Follower {
    const limit = Number.MAX_SAFE_INTEGER;
    const read = (from: number | null, maxLength: number) =>
      this.events(presented, "events", { after: from, limit, maxLength, types });
    return new Follower({ read, listen: () => this.#calls.listen(presented) }, after, types);
  }

  handoffs(presented: Presented): Promise<GatewayReply<readonly HandoffView[]>> {
    return this.#calls.as(presented, true, (stub) => stub.handoffs(presented.credential));
  }

  validate(
    presented: Presented,
    fields: Readonly<Record<string, Json>>,
  ): Promise<GatewayReply<Validated>> {
    const { credential } = presented;
    return this.#calls.as(presented, true, (stub) => stub.validate({ credential, fields }));
  }

  resumable(
    presented: Presented,
    lastEventSeq: number | null,
    auto: boolean,
  ): Promise<GatewayReply<Resumable>> {
    const { credential } = presented;
    return this.#calls.as(presented, true, (stub) =>
      stub.resumable({ credential, lastEventSeq, auto }),
    );
  }

  /** Repeatable: the second time the object is empty, and 410 is what clients take as done. */
  purge(presented: Presented, ifMatch: number | null): Promise<GatewayReply<null>> {
    const { credential } = presented;
    return this.#calls.as(presented, false, (stub) => stub.purge({ credential, ifMatch }));
  }
}

/** What a wrong key for beginning sessions is counted as. */
const CREATE_KEY = "create key";
