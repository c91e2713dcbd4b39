/**
 * A session that lives in memory: the rules of `src/domain` put together as the object does it, with
 * nothing of storage, gateway or platform. A token's hash is its place in the line.
 */
import { SYSTEM } from "../../../../src/domain/participants/actor";
import {
  admit,
  tokenStatusOf,
  type IssuedToken,
} from "../../../../src/domain/participants/admission";
import { encodeBatch, numberBatch } from "../../../../src/domain/log/append";
import { fold } from "../../../../src/domain/log/apply";
import { numberEvents, type Commit } from "../../../../src/domain/log/commit";
import { decideCreate } from "../../../../src/domain/session/create";
import { decide } from "../../../../src/domain/session/decide";
import type { DecisionContext, Decision } from "../../../../src/domain/session/decision";
import type { LogEvent, NewServerEvent } from "../../../../src/domain/log/event";
import { dueTask, isPurgeable } from "../../../../src/domain/session/expiry";
import {
  participantId,
  type RequestHash,
  type SessionId,
  type TokenHash,
} from "../../../../src/domain/ids";
import type { Participant } from "../../../../src/domain/participants/participant";
import { CREATOR_SCOPES } from "../../../../src/domain/participants/scope";
import type { Session } from "../../../../src/domain/session/session";
import { DEFAULT_SETTINGS } from "../../../../src/domain/settings";
import type { CreateArguments } from "../../../../src/domain/session/command";
import { NO_PRIVATE_VALUES } from "../sample";
import type { Request, Standing, Verdict } from "./request";

const hashOf = (participant: number, token: number): TokenHash =>
  `token-${participant}-${token}` as TokenHash;

export class PureSession {
  readonly log: LogEvent[] = [];
  session: Session;
  #participants: Participant[];
  readonly #issued = new Map<number, IssuedToken[]>();
  /** Where each token of a line was issued: the first seq of its commit. */
  readonly #lines = new Map<number, number[]>();

  constructor(args: CreateArguments, now: number) {
    const begun = decideCreate(args, hashOf(1, 0), now, DEFAULT_SETTINGS, NO_PRIVATE_VALUES);
    if (!begun.ok) throw new Error("a session can begin so");
    const { actor, events } = begun.value;
    const commit = numberEvents(null, 0, events, { actor, number: 1 }, now);
    this.log.push(...commit.events);
    this.session = commit.session;
    const creator = { number: 1, scopes: CREATOR_SCOPES, madeBy: null, actor, filled: true };
    this.#participants = [
      fresh({ ...creator, note: null, expiresAt: null, hash: hashOf(1, 0) }, commit, now),
    ];
    this.#issue(1, commit.first, hashOf(1, 0));
  }

  get head(): number {
    return this.log.length;
  }

  ask({ who, token, asked, ifMatch, key }: Request, now: number): Verdict {
    if (isPurgeable(this.session, now)) return "gone";
    const participant = this.#participants.find(({ number }) => number === who) ?? null;
    const issuedSeq = this.#lines.get(who)?.[token] ?? 1;
    const presented = hashOf(who, token);
    const credential = { participant: who, issuedSeq, hash: presented };
    const standing = tokenStatusOf(
      this.session,
      participant,
      credential,
      (seq) => this.#issued.get(seq) ?? [],
    );
    if (participant === null || standing === null) return "token_invalid";
    const request = key === null ? null : (JSON.stringify([asked, ifMatch, key]) as RequestHash);
    const attempt = {
      operation: asked.operation,
      request,
      ifMatch,
      ...(asked.operation === "append" ? {} : { command: asked }),
    };
    const admitted = admit(this.session, participant, standing, presented, attempt, now);
    if (!admitted.ok) return admitted.error.code;
    if (admitted.value.kind === "replay") return "replay";
    if (asked.operation === "append") {
      const batch = encodeBatch(asked.events);
      if (batch.problem !== null) return batch.problem.code;
      const at = new Date(now).toISOString();
      const lines = numberBatch(batch, this.session, this.head, participant, at);
      this.log.push(...lines.split("\n").map((line) => JSON.parse(line) as LogEvent));
      return "ok";
    }
    const next = this.#lines.get(who)?.length ?? 0;
    const made = Math.max(...this.#participants.map(({ number }) => number)) + 1;
    const context = this.#context(participant, presented, hashOf(who, next), hashOf(made, 0), now);
    const decided = decide(asked, context);
    if (!decided.ok) return decided.error.code;
    this.#accept(participant, decided.value, context, request, now);
    return "ok";
  }

  /** What the alarm does when it comes. */
  alarm(now: number): void {
    if (dueTask(this.session, now) !== "record_expiry") return;
    const expired: NewServerEvent = {
      type: "session.expired",
      payload: { expiresAt: new Date(this.session.expiresAt).toISOString() },
      movesVersion: true,
      state: "expired",
    };
    this.#keep(
      numberEvents(this.session, this.head, [expired], { actor: SYSTEM, number: null }, now),
    );
  }

  standing(): Standing {
    const { state, paused, version, fields, title, expiresAt, review, revoked } = this.session;
    const approvals = review.approvedBy.length;
    return {
      state,
      paused,
      version,
      head: this.head,
      fields,
      title,
      expiresAt,
      approvals,
      revoked,
    };
  }

  folded(): Session {
    return fold(this.log);
  }

  #accept(
    participant: Participant,
    decision: Decision,
    context: DecisionContext,
    request: RequestHash | null,
    now: number,
  ): void {
    const before = this.session.version;
    const actor = decision.actor ?? participant.actor;
    const commit = numberEvents(
      this.session,
      this.head,
      decision.events,
      { actor, number: participant.number },
      now,
    );
    this.#keep(commit);
    const isResume = decision.replayAfter !== undefined;
    const moved = commit.session.version !== before;
    const acted: Participant = {
      ...participant,
      actor,
      tokenSeq: commit.first,
      tokenHash: context.next,
      fenceSeq: isResume ? commit.first : participant.fenceSeq,
      seenVersion: isResume || moved ? commit.session.version : participant.seenVersion,
      cursor: isResume ? commit.last : participant.cursor,
      filled: participant.filled || decision.filled === true,
      last: { consumed: context.currentToken, request, outcome: {}, sealed: null },
    };
    this.#participants = this.#participants.map((one) =>
      one.number === acted.number ? acted : one,
    );
    this.#issue(acted.number, commit.first, context.next);
    const { made } = decision;
    if (made === undefined || context.made === null) return;
    const hash = context.made;
    const madeBy = participant.number;
    this.#participants.push(fresh({ ...made, madeBy, filled: false, hash }, commit, now));
    this.#issue(made.number, commit.first, hash);
  }

  #keep(commit: Commit): void {
    this.log.push(...commit.events);
    this.session = commit.session;
  }

  #issue(participant: number, seq: number, hash: TokenHash): void {
    this.#issued.set(seq, [...(this.#issued.get(seq) ?? []), { participant, hash }]);
    this.#lines.set(participant, [...(this.#lines.get(participant) ?? []), seq]);
  }

  #context(
    participant: Participant,
    currentToken: TokenHash,
    next: TokenHash,
    made: TokenHash,
    now: number,
  ): DecisionContext {
    return {
      session: this.session,
      participant,
      participants: this.#participants,
      head: this.head,
      now,
      settings: DEFAULT_SETTINGS,
      currentToken,
      next,
      made,
      sessionId: participantId(0) as unknown as SessionId,
      ...NO_PRIVATE_VALUES,
      endpoints: () => [],
      chain: () => "",
      checkpoints: () => [],
      checkpointBody: () => null,
      uploads: () => [],
      trimmableUpTo: () => null,
      removedByTrim: () => ({ commits: 0, events: 0, sha256: "" }),
      child: null,
      isForking: false,
      endedChildren: () => [],
    };
  }
}

function fresh(
  one: Pick<
    Participant,
    "number" | "actor" | "scopes" | "madeBy" | "note" | "expiresAt" | "filled"
  > & {
    readonly hash: TokenHash;
  },
  commit: Commit,
  now: number,
): Participant {
  const { hash, ...known } = one;
  return {
    ...known,
    createdAt: now,
    tokenSeq: commit.first,
    tokenHash: hash,
    fenceSeq: commit.first,
    seenVersion: commit.session.version,
    cursor: commit.last,
    last: null,
  };
}
