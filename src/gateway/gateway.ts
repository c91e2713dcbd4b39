/**
 * The use cases that every face shares: a token goes in, an object is asked once, an answer with the
 * next token comes out. Secrets are drawn, hashed and sealed here and pass no further.
 */
import { batchOf } from "../domain/log/append";
import { childrenIn } from "./locations";
import type { AppendedEvent, Command } from "../domain/session/command";
import { invalid, type Failure } from "../domain/failure";
import { CREATOR } from "../domain/session/create";
import { codeFromBytes } from "../domain/links/link-code";
import { objectIdHexOf, type SessionId } from "../domain/ids";
import type { JsonObject } from "../domain/json";
import type { Result } from "../domain/result";
import type { StopReport } from "../domain/stops/stop";
import type { Reads } from "../object/door";
import type { Appended, EventsRequest, Page } from "../object/messages";
import { jsonProblem } from "../protocol/json-guard";
import { keyOf, secretsOf } from "./answer-secrets";
import { resolveBind } from "./bind";
import { endpointOwners, sealRinging } from "./sealed-endpoint";
import { Follower } from "./follower";
import { traceLineage, type LineageEntry } from "./lineage";
import { Beginnings } from "./beginnings";
import { quotasOf } from "./owner-keys";
import type { Answered, GatewayRefusal, Presented, Unsigned } from "./session-calls";
import { drawSecret, hashLinkCode, hashRequest, hashSecret, seal } from "./secrets";
import { ShownSession } from "./shown-session";
import { certify, proofIfSigning } from "./signing";
import { formatToken } from "./token";
import { NO_TOKEN, type WriteAnswer, type WriteOptions } from "./write-answer";

export type { Answered, GatewayRefusal, GatewayReply } from "./session-calls";

export class Gateway extends Beginnings {
  readCredential(ref: string, authorization: string | null): Promise<Result<Presented>> {
    return this.calls.readCredential(ref, authorization);
  }

  async write(
    presented: Presented,
    command: Command,
    { ifMatch, idempotencyKey, brings = {} }: WriteOptions,
  ): Answered<WriteAnswer> {
    // Faces that put a command together are held to what those that read one are.
    const problem = jsonProblem(command);
    if (problem !== null) return { ok: false, failure: invalid(problem) };
    const { objectIdHex } = presented;
    const isFork = command.operation === "fork";
    const isResume = command.operation === "resume";
    const limited = isResume ? this.calls.guard.barred("resume", objectIdHex) : null;
    const refused = isFork ? await this.calls.guard.count("create") : limited;
    if (refused !== null) return { ok: false, failure: refused };
    const isLink =
      command.operation === "reissue" ||
      (command.operation === "handoff" && command.to === "human");
    const secrets = [drawSecret()];
    const makes = isFork || isLink || command.operation === "handoff";
    if (makes) secrets.push(drawSecret());
    else if (brings.secret !== undefined) secrets.push(brings.secret);
    const ringing = await sealRinging(
      this.env,
      presented.sessionId,
      command,
      isLink ? secrets[1] : undefined,
    );
    if (!ringing.ok) return { ok: false, failure: ringing.error };
    const owners = await endpointOwners(this.calls.objects, command);
    const who = await this.caller.identity();
    if (!who.ok) return { ok: false, failure: who.error };
    const identity = brings.identity ?? command;
    // A key of an owner has no slot to remember a request in.
    const isKeyed = idempotencyKey !== null && presented.isKey !== true;
    const [next, made] = secrets.map(hashSecret);
    if (next === undefined) throw new Error("unreachable: a secret was drawn");
    const message = {
      command,
      ifMatch,
      request: isKeyed ? hashRequest(command.operation, identity, ifMatch, idempotencyKey) : null,
      next,
      made: makes ? (made ?? null) : null,
      ...(who.value === null ? {} : { identity: who.value }),
      ...(brings.parts === undefined ? {} : { sealedParts: brings.parts }),
      ...(ringing.value === null ? {} : { sealedLink: ringing.value }),
      ...(owners === undefined ? {} : { endpointOwners: owners }),
      ...(isLink && secrets[1] ? { link: hashLinkCode(codeFromBytes(secrets[1])) } : {}),
      ...(command.operation === "handoff"
        ? { bound: resolveBind(command.bind, command.to, this.caller, this.env) }
        : {}),
      ...(isFork
        ? { ...childrenIn(this.calls.objects, this.env), quotas: quotasOf(this.env) }
        : { child: null }),
      sealed: isKeyed ? await seal(presented.secret, secrets) : null,
    };
    const reply = await this.calls.write(presented, "command", message);
    if (!reply.ok) return reply;
    const { session, participant, issuedSeq, replayed, outcome, handoff, page, end, child } =
      reply.value;
    if (isResume) await this.calls.guard.resumed(objectIdHex);
    const [own, others] = await secretsOf(reply.value, presented.secret, secrets);
    const madeNumber = outcome["participant"];
    const line = { objectIdHex, participant, issuedSeq, secret: own };
    return {
      ok: true,
      value: {
        shown: new ShownSession(session),
        resumeToken: presented.isKey === true ? NO_TOKEN : formatToken(line),
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
        brought: makes ? null : (others ?? null),
      },
    };
  }

  async append(
    presented: Presented,
    events: readonly AppendedEvent[],
    expectedHead: number | null,
    { ifMatch, idempotencyKey }: WriteOptions,
  ): Answered<Appended> {
    const key = keyOf("append", { events, expectedHead }, ifMatch, idempotencyKey);
    return this.calls.append(presented, { batch: batchOf(events), expectedHead, ifMatch, key });
  }

  async reportStop(presented: Presented, report: StopReport, idempotencyKey: string | null) {
    const key = keyOf("stop", report, null, idempotencyKey);
    return this.calls.write(presented, "reportStop", { report, key });
  }

  /** A query of the session, as its object declares it. */
  read<K extends keyof Reads>(presented: Presented, kind: K, rest: Unsigned<Reads[K]["request"]>) {
    return this.calls.read(presented, kind, rest);
  }

  /** From the root through this session to its newest leaf. */
  async lineage(presented: Presented): Answered<readonly LineageEntry[]> {
    const own = await this.calls.read(presented, "lineage", {});
    if (!own.ok) return own;
    const { objects } = this.calls;
    return traceLineage(own.value, async (id: SessionId) => {
      const objectId = objects.sessionAt(objectIdHexOf(id) ?? "");
      return objectId === null ? NOBODY : objects.read(objectId, { kind: "relative" });
    });
  }

  async get(presented: Presented): Answered<ShownSession> {
    const reply = await this.calls.read(presented, "get", {});
    return reply.ok ? { ...reply, value: new ShownSession(reply.value) } : reply;
  }

  /** What is wrong with a request, or with its token, whichever is told first. */
  async refusal(presented: Presented, problem: Failure): Promise<GatewayRefusal> {
    const reply = await this.calls.read(presented, "get", { problem });
    return reply.ok ? { ok: false, failure: problem } : reply;
  }

  events(
    presented: Presented,
    operation: EventsRequest["operation"],
    query: EventsRequest["query"],
  ): Answered<Page> {
    return this.calls.read(presented, "events", { operation, query });
  }

  /** Follows the log from a cursor, or from the participant's own where none is given. */
  follow(presented: Presented, after: number | null, types: readonly string[]): Follower {
    const limit = Number.MAX_SAFE_INTEGER;
    const read = (from: number | null, maxLength: number) =>
      this.events(presented, "events", { after: from, limit, maxLength, types });
    return new Follower({ read, listen: () => this.calls.listen(presented) }, after, types);
  }

  /** The second time the object is empty, and 410 is what clients take as done. */
  async purge(presented: Presented, ifMatch: number | null): Answered<JsonObject> {
    const reply = await this.calls.write(presented, "purge", { ifMatch });
    if (!reply.ok) return reply;
    return { ok: true, value: await certify(this.env, presented.sessionId, reply.value) };
  }
}

/** A relative that cannot be named any more. */
const NOBODY = { ok: true, value: null } as const;
