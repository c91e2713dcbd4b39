/** Every answer by itself: what it shows was there while it was given, and what it refuses it may refuse. */
import type {
  LoggedEvent,
  Operation,
  Put,
  Read,
  SessionHistory,
  Shown,
  Span,
  Violation,
} from "./history.ts";
import { told } from "./assign.ts";
import type { Lines } from "./lines.ts";
import { isAllowed, known, nameOf, TERMINAL } from "./operations.ts";
import { canonical, difference, type Folded } from "./plain-fold.ts";
import { revocations } from "./revoked.ts";
import { trimsIn } from "./trims.ts";
import type { Timeline } from "./timeline.ts";

export interface Evidence {
  readonly history: SessionHistory;
  readonly states: readonly Folded[];
  readonly owners: readonly (Operation | null)[];
  readonly lines: Lines;
  readonly timeline: Timeline;
}

export function checkAnswers(evidence: Evidence): readonly Violation[] {
  const { operations, reads } = evidence.history;
  return [
    ...reads.flatMap((read) => checkRead(evidence, read)),
    ...operations.flatMap((operation) => checkOperation(evidence, operation)),
  ];
}

function checkRead(evidence: Evidence, read: Read): readonly Violation[] {
  const problem = shownProblem(evidence, read, read.shown);
  const place = evidence.states.findIndex(({ head }) => head === read.shown.head);
  const late = lateness(evidence.states[place], read);
  return [
    ...(problem === null ? [] : [violation(problem.rule, `${read.id} was shown: ${problem.what}`)]),
    ...(late === null ? [] : [violation("expired is over at once", `${read.id} ${late}`)]),
  ];
}

function checkOperation(evidence: Evidence, operation: Operation): readonly Violation[] {
  const { outcome } = operation;
  if (outcome.kind === "unknown") return [];
  const found: Violation[] = [];
  if (outcome.shown !== undefined) {
    const problem = shownProblem(evidence, operation, outcome.shown);
    if (problem !== null) {
      found.push(violation(problem.rule, `${told(operation)} was shown: ${problem.what}`));
    }
  }
  if (outcome.kind === "refused") {
    const why = refusalProblem(evidence, operation, outcome);
    if (why !== null) {
      const what = `${told(operation)} was refused as ${outcome.code}: ${why}`;
      found.push(violation("refusals are justified", what));
    }
  } else if (!outcome.replayed) {
    const index = evidence.owners.indexOf(operation);
    if (outcome.shown !== undefined && outcome.shown.head !== evidence.states[index]?.head) {
      const what = `${told(operation)} was shown head ${outcome.shown.head}, which is not its own`;
      found.push(violation("an answer shows what it wrote", what));
    }
    const late = index > 0 ? lateness(evidence.states[index - 1], operation) : null;
    if (late !== null)
      found.push(violation("expired is over at once", `${told(operation)} ${late}`));
  }
  return found;
}

function shownProblem({ states, timeline }: Evidence, span: Span, shown: Shown): Violation | null {
  const index = states.findIndex(({ head }) => head === shown.head);
  const folded = states[index];
  if (folded === undefined) {
    return violation("no torn states", `head ${shown.head}, at which no commit ends`);
  }
  const differs = difference(shown, folded);
  if (differs !== null) return violation("no torn states", `at head ${shown.head} ${differs}`);
  const { from, to } = timeline.window(span);
  if (index < from) {
    return violation("no stale reads", `head ${shown.head}, when ${states[from]?.head} was known`);
  }
  if (index > to) {
    return violation("no stale reads", `head ${shown.head}, which was not yet asked for`);
  }
  return null;
}

/** Accepted or shown at a time when the clock was past its end for certain. */
function lateness(before: Folded | undefined, { clock: [least] }: Span): string | null {
  if (before === undefined) return null;
  if (before.state === "expired") return "was let in to what had expired";
  if (TERMINAL.has(before.state) || least < before.expiresAt) return null;
  return `was let in ${least - before.expiresAt} ms after the end`;
}

function refusalProblem(
  { history, states, owners, lines, timeline }: Evidence,
  operation: Operation,
  outcome: Operation["outcome"] & { kind: "refused" },
): string | null {
  const { participant, token, name, ifMatch, responded, clock } = operation;
  const { from, to } = timeline.window(operation);
  const possible = states.slice(from, to + 1);
  const version = outcome.shown?.version;
  const by = (index: number | undefined): boolean =>
    index !== undefined && timeline.mayStandBy(index, responded);
  switch (outcome.code) {
    case "version_conflict": {
      if (!known(name).moves || ifMatch !== null) return "it did not depend on what was seen";
      const seen = lines.seenWith(participant, token);
      if (version === seen) return `the version was ${seen}, as it had seen`;
      return missedProblem(history, seen ?? 0, outcome.missed);
    }
    case "precondition_failed":
      if (ifMatch === null || ifMatch === version)
        return `the version was ${version}, as asked for`;
      return missedProblem(history, ifMatch, outcome.missed);
    case "token_superseded": {
      const end = known(name).spends
        ? lines.spentAt(participant, token)
        : lines.fencedAt(participant, token);
      // Asked again with its key, it must be told what the first time did.
      if (end !== undefined && owners[end] === operation) return "it had itself spent the token";
      return by(end) ? null : `token ${token} was not spent`;
    }
    case "illegal_transition": {
      const { from: state = "" } = outcome;
      if (!possible.some((one) => one.state === state)) return `it was never ${state} then`;
      if (!isAllowed(name, state)) return null;
      return name === "approve" && hasApproved(history, participant) ? null : `allowed in ${state}`;
    }
    case "scope_denied": {
      const scopes = history.scopes.get(participant) ?? [];
      return scopes.includes(known(name).scope) ? `it has ${known(name).scope}` : null;
    }
    case "paused":
      return operation.auto === true && possible.some(({ paused }) => paused) ? null : "it was not";
    case "expired": {
      const isOver = ({ state, expiresAt }: Folded) => state === "expired" || clock[1] >= expiresAt;
      return possible.some(isOver) ? null : "its time was not up";
    }
    case "token_invalid":
      return by(revocations(history.commits).get(participant)) ? null : "it was not revoked";
    case "replay_gap": {
      const gap = trimsIn(history.commits).find(({ floor }) => floor > (operation.after ?? 0));
      return by(gap?.index) ? null : `nothing after ${operation.after} was trimmed`;
    }
    case "not_found":
      return NAMING.has(name) ? null : "it is there";
    case "invalid_request":
      return name === "confirmUpload" ? unconfirmable(history, operation, by) : "it was in order";
    // A copy that could not be written and read back is refused so, and nothing of it is kept.
    case "checkpoint_corrupt":
      return COPYING.has(name) ? null : "it touches no checkpoint";
    case "link_unknown":
      return "its code had been given out";
    case "link_over": {
      const isOver = ({ state, expiresAt }: Folded) => TERMINAL.has(state) || clock[1] >= expiresAt;
      const isRevoked = by(revocations(history.commits).get(participant));
      const isUsed = by(openingOf(history, participant));
      return isRevoked || isUsed || possible.some(isOver) ? null : "it could still be opened";
    }
    case "rate_limited":
    case "busy":
      return null;
    default:
      return "nothing explains that";
  }
}

/** Operations that name a copy or a file, which may not be there, or not any more. */
const NAMING = new Set(["restore", "trim", "confirmUpload", "removeUpload"]);
const COPYING = new Set(["checkpoint", "restore", "trim", "fork"]);

/** Refused as not arrived, or as confirmed already: one of both may have been so. */
function unconfirmable(
  { commits, puts }: SessionHistory,
  { upload, invoked }: Operation,
  by: (index: number | undefined) => boolean,
): string | null {
  const isOfIt = (put: Put) => put.upload === upload && put.outcome === "ok";
  if (!puts.some((put) => isOfIt(put) && put.responded < invoked)) return null;
  const confirmed = commits.findIndex(({ events }) =>
    events.some(({ type, payload }) => type === "upload.confirmed" && payload["upload"] === upload),
  );
  return confirmed >= 0 && by(confirmed) ? null : "it had arrived and was not yet confirmed";
}

const openingOf = ({ commits }: SessionHistory, participant: number): number | undefined => {
  const index = commits.findIndex(
    (commit) => commit.participant === participant && nameOf(commit) === "openLink",
  );
  return index < 0 ? undefined : index;
};

const hasApproved = ({ commits }: SessionHistory, participant: number): boolean =>
  commits.some(
    (commit) =>
      commit.participant === participant &&
      commit.events.some(({ type }) => type === "review.approved"),
  );

/** The missed events are those of the log right after what was seen. */
function missedProblem(
  { commits }: SessionHistory,
  seen: number,
  missed: readonly LoggedEvent[] = [],
): string | null {
  const log = commits.flatMap(({ events }) => events);
  for (const [index, event] of missed.entries()) {
    if (event.seq !== seen + 1 + index || canonical(event) !== canonical(log[event.seq - 1])) {
      return `missed event ${index + 1} is ${event.seq}, or is not the log's`;
    }
  }
  return null;
}

const violation = (rule: string, what: string): Violation => ({ rule, what });
