/**
 * The use cases that all faces share: each takes a token, calls an object once, and returns an answer
 * with the next token. Secrets are generated, hashed and sealed here and go no further.
 */
import { encodeBatch } from "../domain/log/append";
import { childObjectIds } from "./locations";
import type { AppendedEvent, Command } from "../domain/session/command";
import { invalid, type Failure } from "../domain/failure";
import { CREATOR } from "../domain/session/create";
import { codeFromBytes } from "../domain/links/link-code";
import { objectIdHexOf, type SessionId } from "../domain/ids";
import type { Json, JsonObject } from "../domain/json";
import { leaseNameProblem, type LeaseRef } from "../domain/leases/lease";
import { onceKeyProblem } from "../domain/leases/once";
import type { Result } from "../domain/result";
import type { StopReport } from "../domain/stops/stop";
import type { ReadRpcs } from "../object/session-rpc";
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
  readCredential(
    ref: string,
    authorization: string | null,
    lease: LeaseRef | null = null,
  ): Promise<Result<UnverifiedCredential>> {
    return this.calls.readCredential(ref, authorization, lease);
  }

  async write(
    credential: UnverifiedCredential,
    command: Command,
    { ifMatch, idempotencyKey, secretInput = {} }: WriteOptions,
  ): AsyncReply<WriteAnswer> {
    // Commands that a face builds itself must pass the same JSON checks as those that it parses.
    const problem = jsonProblem(command);
    if (problem !== null) return { ok: false, failure: invalid(problem) };
    const { objectIdHex } = credential;
    const isFork = command.operation === "fork";
    const isResume = command.operation === "resume";
    const blocked = isResume ? this.calls.rateLimiter.blockProblem("resume", objectIdHex) : null;
    const rateLimited = isFork ? await this.calls.rateLimiter.count("create") : blocked;
    if (rateLimited !== null) return { ok: false, failure: rateLimited };
    const isLink =
      command.operation === "reissue" ||
      (command.operation === "handoff" && command.to === "human");
    const secrets = [generateSecret()];
    const issuesSecondSecret = isFork || isLink || command.operation === "handoff";
    if (issuesSecondSecret) secrets.push(generateSecret());
    else if (secretInput.secret !== undefined) secrets.push(secretInput.secret);
    const sealedLink = await sealHandoffLink(
      this.env,
      credential.sessionId,
      command,
      isLink ? secrets[1] : undefined,
    );
    if (!sealedLink.ok) return { ok: false, failure: sealedLink.error };
    const owners = await endpointOwners(this.calls.objects, command);
    const identified = await this.caller.identity();
    if (!identified.ok) return { ok: false, failure: identified.error };
    const identity = secretInput.identity ?? command;
    // An owner's key has no slot to store a request in.
    const isKeyed = idempotencyKey !== null && credential.isKey !== true;
    const [next, newTokenHash] = secrets.map(hashSecret);
    if (next === undefined) throw new Error("unreachable: a secret was drawn");
    const message = {
      command,
      ifMatch,
      request: isKeyed ? hashRequest(command.operation, identity, ifMatch, idempotencyKey) : null,
      next,
      made: issuesSecondSecret ? (newTokenHash ?? null) : null,
      ...(identified.value === null ? {} : { identity: identified.value }),
      ...(secretInput.parts === undefined ? {} : { sealedParts: secretInput.parts }),
      ...(sealedLink.value === null ? {} : { sealedLink: sealedLink.value }),
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
    const [ownSecret, otherSecret] = await secretsOf(reply.value, credential.secret, secrets);
    const newParticipant = outcome["participant"];
    const tokenParts = { objectIdHex, participant, issuedSeq, secret: ownSecret };
    return {
      ok: true,
      value: {
        session: new SerializedSession(session),
        resumeToken: credential.isKey === true ? NO_TOKEN : formatToken(tokenParts),
        replayed,
        outcome,
        handoff,
        participantToken:
          typeof newParticipant === "number" && otherSecret !== undefined && !isLink
            ? formatToken({ ...tokenParts, participant: newParticipant, secret: otherSecret })
            : null,
        code: isLink && otherSecret !== undefined ? codeFromBytes(otherSecret) : null,
        page,
        proof: await proofIfSigning(this.env, session.id, end),
        child,
        childToken:
          isFork && otherSecret !== undefined
            ? formatToken({
                objectIdHex: String(outcome["child"]),
                participant: CREATOR,
                issuedSeq: 1,
                secret: otherSecret,
              })
            : null,
        secret: issuesSecondSecret ? null : (otherSecret ?? null),
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

  /** Takes a lease, or renews the one with this number. */
  async takeLease(
    credential: UnverifiedCredential,
    { name, ttlMs, number }: { name: string; ttlMs: number; number: number | null },
    idempotencyKey: string | null,
  ) {
    const key = requestKeyOf("lease", { name, ttlMs, number }, null, idempotencyKey);
    const problem = problemMember(leaseNameProblem(name));
    return this.calls.write(credential, "takeLease", { name, ttlMs, number, key, ...problem });
  }

  releaseLease(credential: UnverifiedCredential, name: string) {
    const problem = problemMember(leaseNameProblem(name));
    return this.calls.write(credential, "releaseLease", { name, ...problem });
  }

  async startOnce(
    credential: UnverifiedCredential,
    onceKey: string,
    retry: boolean,
    idempotencyKey: string | null,
  ) {
    const { lease = null } = credential.hashed;
    const key = requestKeyOf("once", { onceKey, retry, lease }, null, idempotencyKey);
    const problem = problemMember(onceKeyProblem(onceKey));
    return this.calls.write(credential, "startOnce", { onceKey, retry, key, ...problem });
  }

  endOnce(credential: UnverifiedCredential, onceKey: string, result: Json) {
    const problem = problemMember(onceKeyProblem(onceKey));
    return this.calls.write(credential, "endOnce", { onceKey, result, ...problem });
  }

  /** A query of the session, as its object declares it. */
  read<K extends keyof ReadRpcs>(
    credential: UnverifiedCredential,
    kind: K,
    rest: WithoutCredential<ReadRpcs[K]["request"]>,
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

  /** The refusal of an invalid request; if the token is wrong, that is reported instead. */
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

  /** Follows the log from a cursor, or from the participant's own if none is given. */
  follow(
    credential: UnverifiedCredential,
    after: number | null,
    types: readonly string[],
  ): Follower {
    const limit = Number.MAX_SAFE_INTEGER;
    // A lease must be held when the request arrives: only its first read names the lease.
    const { lease: _, ...unleased } = credential.hashed;
    const later = { ...credential, hashed: unleased };
    let reader = credential;
    const read = (from: number | null, maxLength: number) => {
      const page = this.events(reader, "events", { after: from, limit, maxLength, types });
      reader = later;
      return page;
    };
    return new Follower({ read, listen: () => this.calls.listen(later) }, after, types);
  }

  /** When it is repeated the object is empty, and clients treat 410 as success. */
  async purge(credential: UnverifiedCredential, ifMatch: number | null): AsyncReply<JsonObject> {
    const reply = await this.calls.write(credential, "purge", { ifMatch });
    if (!reply.ok) return reply;
    return { ok: true, value: await purgeCertificate(this.env, credential.sessionId, reply.value) };
  }
}

const problemMember = (problem: Failure | null) => (problem === null ? {} : { problem });

/** A relative whose id is not valid here. */
const NO_RELATIVE = { ok: true, value: null } as const;
