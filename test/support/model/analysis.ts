/**
 * What all laws start from: the state after each commit, the operation that made each commit, and for each
 * span of time the commits after which the session may have stood. Pure.
 */
import { foldLog, type FoldedLog } from "./fold.ts";
import {
  identityOf,
  type History,
  type LoggedCommit,
  type Operation,
  type Span,
} from "./history.ts";
import { isAllowedIn, isCommitOf, isRead, operationOf, rowOf, TERMINAL } from "./operations.ts";

export interface Analysis extends FoldedLog {
  /** For each commit the operation that made it; null if the server made it, or if it has no author. */
  readonly owners: readonly (Operation | null)[];
  readonly lost: readonly string[];
  readonly shared: readonly string[];
  readonly unexplained: readonly string[];
  readonly timeline: Timeline;
  readonly answers: readonly Judged[];
}

export function analyse(history: History): Analysis {
  const assigned = assign(history);
  const timeline = new Timeline(history.commits, assigned.owners);
  const folded = foldLog(history.commits);
  const answers = judge(history, { ...folded, ...assigned }, timeline);
  return { ...folded, ...assigned, timeline, answers };
}

/**
 * Every acknowledged write has one commit, and no two writes have the same. A commit that no answer
 * acknowledged must belong to a request without an answer, and each such request has at most one.
 */
function assign({ commits, operations, job }: History) {
  const owners: (Operation | null)[] = commits.map(() => null);
  const places = new Map(commits.map(({ first }, index) => [first, index]));
  const lost: string[] = [];
  const shared: string[] = [];
  const unexplained: string[] = [];
  const writes = operations.filter(({ name }) => !isRead(name) && name !== "purge");

  for (const operation of writes) {
    const { outcome } = operation;
    if (outcome.kind !== "ok") continue;
    const index =
      outcome.commit === null
        ? commits.findIndex((commit) => isOf(commit, operation))
        : (places.get(outcome.commit) ?? -1);
    const commit = commits[index];
    const owner = owners[index] ?? null;
    if (commit === undefined || !isOf(commit, operation)) {
      lost.push(`${named(operation)} was acknowledged as ${outcome.commit} and is not there`);
    } else if (owner === null) owners[index] = operation;
    else if (outcome.replayed === false || identityOf(owner) !== identityOf(operation)) {
      shared.push(`${named(operation)} and ${named(owner)} were given the same commit`);
    }
  }

  // A request that was recorded more than once happened at most once.
  const done = new Set(owners.flatMap((one) => (one?.key == null ? [] : [requestOf(one)])));
  const open = new Set(writes.filter((one) => mayHaveHappened(one) && !done.has(requestOf(one))));
  for (const [index, commit] of commits.entries()) {
    if (owners[index] !== null || commit.participant === null) continue;
    // The requests of an ARCP client are not recorded.
    if (job !== undefined) continue;
    // If several requests fit, it is one whose `If-Match` fits, and of these the one with the newest token.
    const version = commits[index - 1]?.events.at(-1)?.version ?? 0;
    const fits = ({ ifMatch }: Operation): number =>
      ifMatch === null || ifMatch === version ? 1 : 0;
    const [maker] = [...open]
      .filter((operation) => isOf(commit, operation))
      .sort((one, other) => fits(other) - fits(one) || other.token - one.token);
    if (maker !== undefined) {
      owners[index] = maker;
      open.delete(maker);
      continue;
    }
    const again = writes.find((operation) => isOf(commit, operation));
    const why = again === undefined ? "it was never requested" : `a second time ${named(again)}`;
    unexplained.push(
      `seq ${commit.first}, ${operationOf(commit)} of participant ${commit.participant}: ${why}`,
    );
  }
  const requests = owners.flatMap((one) => (one?.key == null ? [] : [one]));
  for (const [place, one] of requests.entries()) {
    const other = requests.slice(0, place).find((earlier) => requestOf(earlier) === requestOf(one));
    if (other !== undefined) unexplained.push(`${named(one)} was sent again and happened twice`);
  }
  return { owners, lost, shared, unexplained };
}

/** With another token, what spends one is another request, whatever its key. */
const requestOf = (one: Operation): string =>
  `${one.participant} ${rowOf(one.name).spends ? one.token : ""} ${identityOf(one)}`;

const mayHaveHappened = ({ outcome, hasLostAttempt }: Operation): boolean =>
  outcome.kind === "unknown" || (outcome.kind === "refused" && hasLostAttempt);

function isOf(commit: LoggedCommit, { participant, name, mark, token }: Operation): boolean {
  return (
    commit.participant === participant &&
    isCommitOf(commit, name) &&
    commit.first > token &&
    (mark === null || carries(commit, mark))
  );
}

/** Is this mark in the payload or the actor of one of its events? */
const carries = ({ events }: LoggedCommit, mark: string): boolean =>
  JSON.stringify(events.map(({ actor, payload }) => [actor, payload])).includes(`"${mark}"`);

export const named = ({ id, name }: Operation): string => `${name} (${id})`;

/** Commits by index, after which the session may have stood: from the last that was certainly there. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Real time: an answer shows a state that existed between the request and the answer. */
export class Timeline {
  readonly #spans: readonly (Pick<Span, "invoked" | "responded"> | null)[];

  constructor(commits: readonly LoggedCommit[], owners: readonly (Operation | null)[]) {
    this.#spans = commits.map(({ committed }, index) => {
      if (committed !== undefined) return { invoked: committed, responded: committed };
      const owner = owners[index];
      return owner == null ? null : withoutRefusal(owner);
    });
  }

  window({ invoked, responded }: Pick<Span, "invoked" | "responded">): Window {
    let from = 0;
    let to = this.#spans.length - 1;
    for (const [index, span] of this.#spans.entries()) {
      if (span === null) continue;
      if (span.responded < invoked) from = index;
      if (span.invoked > responded) {
        to = Math.min(to, index - 1);
        break;
      }
    }
    return { from, to };
  }

  /** Pairs of commits whose order in the log is not the order of their requests. */
  disorder(): readonly (readonly [earlier: number, later: number])[] {
    const found: (readonly [number, number])[] = [];
    let latest = -1;
    for (const [index, span] of this.#spans.entries()) {
      if (span === null) continue;
      const before = this.#spans[latest];
      if (before != null && span.responded < before.invoked) found.push([index, latest]);
      if (before == null || span.invoked > before.invoked) latest = index;
    }
    return found;
  }
}

/**
 * If a write was refused and happened all the same, it was done by an attempt without an answer, which may
 * have come in long after the refusal.
 */
const withoutRefusal = (owner: Operation): Pick<Span, "invoked" | "responded"> =>
  owner.outcome.kind === "ok" ? owner : { ...owner, responded: Number.POSITIVE_INFINITY };

type Ground = Pick<Analysis, "states" | "owners">;

/**
 * What the rules answer to an operation after the commit at `index`: "ok", "replay", or the code of the
 * refusal. The order is the order of checks in docs/protocol.md.
 */
export function predict(ground: Ground, index: number, operation: Operation, now: number): string {
  const session = ground.states[index];
  if (session === undefined) return "gone";
  const { name, token, args, ifMatch } = operation;
  const row = rowOf(name);
  const isOver = TERMINAL.has(session.state) && session.state !== "expired";
  const end = isOver ? (session.endedAt ?? session.expiresAt) : session.expiresAt;
  if (now >= end + session.retentionMs) return "gone";
  const participant = session.participants.get(operation.participant);
  if (participant === undefined || participant.isRevoked || !participant.line.includes(token)) {
    return "token_invalid";
  }
  if (now >= participant.until) return "expired";
  const isExpired = session.state === "expired" || (!isOver && now >= session.expiresAt);
  const repeated = repeats(ground, index, operation);
  if (repeated === "other") return isExpired ? "expired" : "idempotency_mismatch";
  if (repeated === "same") return "replay";
  if (isExpired) return "expired";
  if (row.spends ? token !== participant.line.at(-1) : token < participant.fence) {
    return "token_superseded";
  }
  if (row.scope !== null && !participant.scopes.has(row.scope)) return "scope_denied";
  const one = { session, participant, operation, now };
  const denied = row.denies(one);
  if (denied !== null) return denied;
  if (args["auto"] === true && (session.paused || session.suspended)) return "paused";
  if (ifMatch !== null && ifMatch !== session.version) return "precondition_failed";
  const { expectedHead } = args;
  if (expectedHead !== undefined && expectedHead !== session.head) return "version_conflict";
  if (row.moves(args) && (ifMatch ?? participant.seen) !== session.version) {
    return "version_conflict";
  }
  if (!isAllowedIn(row, session.state)) return "illegal_transition";
  return row.refuses(one) ?? "ok";
}

/** Is this the participant's last accepted request, or has an append or a report used its key? */
function repeats(
  { states, owners }: Ground,
  index: number,
  operation: Operation,
): "same" | "other" | null {
  const { name, participant: number, token, key } = operation;
  const participant = states[index]?.participants.get(number);
  if (key === null || participant === undefined) return null;
  if (rowOf(name).spends) {
    const last = participant.lastSpent === null ? null : owners[participant.lastSpent];
    const isSame = last?.token === token && identityOf(last) === identityOf(operation);
    return isSame ? "same" : null;
  }
  if (isRead(name) || token < participant.fence) return null;
  const earlier = owners
    .slice(0, index + 1)
    .find((one) => one?.participant === number && one.key === key && !rowOf(one.name).spends);
  if (earlier == null) return null;
  return identityOf(earlier) === identityOf(operation) ? "same" : "other";
}

/** An answer, and all that the rules could have answered instead. */
export interface Judged {
  readonly operation: Operation;
  /** "ok", "replay", "ok or replay", or the code of the refusal. */
  readonly actual: string;
  readonly predicted: ReadonlySet<string>;
}

const ACTUAL: Readonly<Record<string, "ok" | "replay" | "ok or replay">> = {
  false: "ok",
  true: "replay",
  null: "ok or replay",
};

/** These say something about the machine, not about the session. */
const MACHINE_CODES = new Set(["rate_limited", "busy"]);

/** Every certain answer, and what the rules predict in the states that it may have met. */
function judge(history: History, ground: Ground, timeline: Timeline): readonly Judged[] {
  const purge = history.operations.find(
    ({ name, outcome }) => name === "purge" && outcome.kind === "ok",
  );
  return history.operations.flatMap((operation): readonly Judged[] => {
    const { outcome, name } = operation;
    if (outcome.kind === "unknown" || rowOf(name).scope === null) return [];
    const actual = outcome.kind === "refused" ? outcome.code : ACTUAL[String(outcome.replayed)];
    if (actual === undefined || MACHINE_CODES.has(actual)) return [];
    const isAfter = purge !== undefined && purge.responded < operation.invoked;
    const predicted = new Set(
      isAfter
        ? ["gone"]
        : candidates(history, ground, timeline, operation).flatMap((index) =>
            operation.clock.map((now) => predict(ground, index, operation, now)),
          ),
    );
    for (const code of helloRefusals(ground, timeline, operation)) predicted.add(code);
    if (purge !== undefined && !isAfter && purge.invoked <= operation.responded) {
      predicted.add("gone");
    }
    return [{ operation, actual, predicted }];
  });
}

/** A socket first requests events, as a read does. If that is refused, its append is ignored. */
function helloRefusals(
  ground: Ground,
  timeline: Timeline,
  operation: Operation,
): readonly string[] {
  const { after, clock } = operation;
  if (after === undefined) return [];
  const { from, to } = timeline.window(operation);
  const hello = { ...operation, name: "events", key: null, ifMatch: null, args: { after } };
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) =>
    clock.map((now) => predict(ground, from + index, hello, now)),
  )
    .flat()
    .filter((code) => code !== "ok");
}

/** The commits after which an answer may have been decided. */
function candidates(
  { commits }: History,
  { states, owners }: Ground,
  timeline: Timeline,
  operation: Operation,
): readonly number[] {
  const { outcome } = operation;
  const { from, to } = timeline.window(operation);
  const all = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  if (outcome.kind === "ok" && outcome.replayed === false && !isRead(operation.name)) {
    const index =
      outcome.commit === null
        ? owners.indexOf(operation)
        : commits.findIndex(({ first }) => first === outcome.commit);
    // An acknowledged write that has no commit is another law's.
    return index > 0 ? [index - 1] : all;
  }
  const { shown } = outcome as { readonly shown?: { readonly head: number } };
  if (shown === undefined || (outcome.kind === "ok" && outcome.replayed !== false)) return all;
  const met = all.filter((index) => states[index]?.head === shown.head);
  const state = outcome.kind === "refused" ? outcome.from : undefined;
  const fitting = met.filter((index) => state === undefined || states[index]?.state === state);
  return fitting.length > 0 ? fitting : all;
}
