/**
 * The use cases that every face shares: a token goes in, an object is asked once, an answer with the
 * next token comes out. Secrets are drawn, hashed and sealed here and pass no further.
 */
import { encodeBatch } from "../domain/log/append";
import { childObjectIds } from "./locations";
import type { AppendedEvent, Command } from "../domain/session/command";
import { invalid, type Failure } from "../domain/failure";
import { CREATOR } from "../domain/session/create";
import { codeFromBytes } from "../domain/links/link-code";
import { objectIdHexOf, type SessionId } from "../domain/ids";
import type { JsonObject } from "../domain/json";
import type { Result } from "../domain/result";
import type { StopReport } from "../domain/stops/stop";
import type { Reads } from "../object/session-rpc";
import type { AppendOutcome, EventsRequest, EventPage } from "../object/messages";
import { jsonProblem } from "../protocol/parse-json";
import { requestKeyOf, secretsOf } from "./answer-secrets";
import { resolveBind } from "./bind";
import { endpointOwners, sealHandoffLink } from "./sealed-endpoint";
import { Follower } from "./follower";
import { traceLineage, type LineageEntry } from "./lineage";
import { SessionCreator } from "./session-creator";
import { quotasOf } from "./owner-keys";
import type {
  AsyncReply,
  GatewayRefusal,
  UnverifiedCredential,
  WithoutCredential,
} from "./session-calls";
import { generateSecret, hashLinkCode, hashRequest, hashSecret, seal } from "./secrets";
import { SerializedSession } from "./serialized-session";
import { purgeCertificate, proofIfSigning } from "./signing";
import { formatToken } from "./token";
import { NO_TOKEN, type WriteAnswer, type WriteOptions } from "./write-answer";

export type { AsyncReply, GatewayRefusal, GatewayReply } from "./session-calls";

export class Gateway extends SessionCreator {
  readCredential(ref: string, authorization: string | null): Promise<Result<UnverifiedCredential>> {
    return this.calls.readCredential(ref, authorization);
  }

  async write(
    credential: UnverifiedCredential,
    command: Command,
    { ifMatch, idempotencyKey, secretInput = {} }: WriteOptions,
  ): AsyncReply<WriteAnswer> {
    // Faces that put a command together are held to what those that read one are.
    const problem = jsonProblem(command);
    if (problem !== null) return { ok: false, failure: invalid(problem) };
    const { objectIdHex } = credential;
    const isFork = command.operation === "fork";
    const isResume = command.operation === "resume";
    const limited = isResume ? this.calls.rateLimiter.blockProblem("resume", objectIdHex) : null;
    const refused = isFork ? await this.calls.rateLimiter.count("create") : limited;
    if (refused !== null) return { ok: false, failure: refused };
    const isLink =
      command.operation === "reissue" ||
      (command.operation === "handoff" && command.to === "human");
    const secrets = [generateSecret()];
    const makes = isFork || isLink || command.operation === "handoff";
    if (makes) secrets.push(generateSecret());
    else if (secretInput.secret !== undefined) secrets.push(secretInput.secret);
    const ringing = await sealHandoffLink(
      this.env,
      credential.sessionId,
      command,
      isLink ? secrets[1] : undefined,
    );
    if (!ringing.ok) return { ok: false, failure: ringing.error };
    const owners = await endpointOwners(this.calls.objects, command);
    const who = await this.caller.identity();
    if (!who.ok) return { ok: false, failure: who.error };
    const identity = secretInput.identity ?? command;
    // A key of an owner has no slot to remember a request in.
    const isKeyed = idempotencyKey !== null && credential.isKey !== true;
    const [next, made] = secrets.map(hashSecret);
    if (next === undefined) throw new Error("unreachable: a secret was drawn");
    const message = {
      command,
      ifMatch,
      request: isKeyed ? hashRequest(command.operation, identity, ifMatch, idempotencyKey) : null,
      next,
      made: makes ? (made ?? null) : null,
      ...(who.value === null ? {} : { identity: who.value }),
      ...(secretInput.parts === undefined ? {} : { sealedParts: secretInput.parts }),
      ...(ringing.value === null ? {} : { sealedLink: ringing.value }),
      ...(owners === undefined ? {} : { endpointOwners: owners }),
      ...(isLink && secrets[1] ? { link: hashLinkCode(codeFromBytes(secrets[1])) } : {}),
      ...(command.operation === "handoff"
        ? { bound: resolveBind(command.bind, command.to, this.caller, this.env) }
        : {}),
      ...(isFork
        ? { ...childObjectIds(this.calls.objects, this.env), quotas: quotasOf(this.env) }
        : { child: null }),
      sealed: isKeyed ? await seal(credential.secret, secrets) : null,
    };
    const reply = await this.calls.write(credential, "command", message);
    if (!reply.ok) return reply;
    const { session, participant, issuedSeq, replayed, outcome, handoff, page, end, child } =
      reply.value;
    if (isResume) await this.calls.rateLimiter.countResume(objectIdHex);
    const [own, others] = await secretsOf(reply.value, credential.secret, secrets);
    const madeNumber = outcome["participant"];
    const line = { objectIdHex, participant, issuedSeq, secret: own };
    return {
      ok: true,
      value: {
        session: new SerializedSession(session),
        resumeToken: credential.isKey === true ? NO_TOKEN : formatToken(line),
        replayed,
        outcome,
        handoff,
        participantToken:
          typeof madeNumber === "number" && others !== undefined && !isLink
            ? formatToken({ ...line, participant: madeNumber, secret: others })
            : null,
        code: isLink && others !== undefined ? codeFromBytes(others) : null,
        page,
        proof: await proofIfSigning(this.env, session.id, end),
        child,
        childToken:
          isFork && others !== undefined
            ? formatToken({
                objectIdHex: String(outcome["child"]),
                participant: CREATOR,
                issuedSeq: 1,
                secret: others,
              })
            : null,
        secret: makes ? null : (others ?? null),
      },
    };
  }

  async append(
    credential: UnverifiedCredential,
    events: readonly AppendedEvent[],
    expectedHead: number | null,
    { ifMatch, idempotencyKey }: WriteOptions,
  ): AsyncReply<AppendOutcome> {
    const key = requestKeyOf("append", { events, expectedHead }, ifMatch, idempotencyKey);
    return this.calls.append(credential, {
      batch: encodeBatch(events),
      expectedHead,
      ifMatch,
      key,
    });
  }

  async reportStop(
    credential: UnverifiedCredential,
    report: StopReport,
    idempotencyKey: string | null,
  ) {
    const key = requestKeyOf("stop", report, null, idempotencyKey);
    return this.calls.write(credential, "reportStop", { report, key });
  }

  /** A query of the session, as its object declares it. */
  read<K extends keyof Reads>(
    credential: UnverifiedCredential,
    kind: K,
    rest: WithoutCredential<Reads[K]["request"]>,
  ) {
    return this.calls.read(credential, kind, rest);
  }

  /** From the root through this session to its newest leaf. */
  async lineage(credential: UnverifiedCredential): AsyncReply<readonly LineageEntry[]> {
    const own = await this.calls.read(credential, "lineage", {});
    if (!own.ok) return own;
    const { objects } = this.calls;
    return traceLineage(own.value, async (id: SessionId) => {
      const objectId = objects.sessionAt(objectIdHexOf(id) ?? "");
      return objectId === null ? NO_RELATIVE : objects.read(objectId, { kind: "relative" });
    });
  }

  async get(credential: UnverifiedCredential): AsyncReply<SerializedSession> {
    const reply = await this.calls.read(credential, "get", {});
    return reply.ok ? { ...reply, value: new SerializedSession(reply.value) } : reply;
  }

  /** What is wrong with a request, or with its token, whichever is told first. */
  async refusal(credential: UnverifiedCredential, problem: Failure): Promise<GatewayRefusal> {
    const reply = await this.calls.read(credential, "get", { problem });
    return reply.ok ? { ok: false, failure: problem } : reply;
  }

  events(
    credential: UnverifiedCredential,
    operation: EventsRequest["operation"],
    query: EventsRequest["query"],
  ): AsyncReply<EventPage> {
    return this.calls.read(credential, "events", { operation, query });
  }

  /** Follows the log from a cursor, or from the participant's own where none is given. */
  follow(
    credential: UnverifiedCredential,
    after: number | null,
    types: readonly string[],
  ): Follower {
    const limit = Number.MAX_SAFE_INTEGER;
    const read = (from: number | null, maxLength: number) =>
      this.events(credential, "events", { after: from, limit, maxLength, types });
    return new Follower({ read, listen: () => this.calls.listen(credential) }, after, types);
  }

  /** The second time the object is empty, and 410 is what clients take as done. */
  async purge(credential: UnverifiedCredential, ifMatch: number | null): AsyncReply<JsonObject> {
    const reply = await this.calls.write(credential, "purge", { ifMatch });
    if (!reply.ok) return reply;
    return { ok: true, value: await purgeCertificate(this.env, credential.sessionId, reply.value) };
  }
}

/** A relative that cannot be named any more. */
const NO_RELATIVE = { ok: true, value: null } as const;
