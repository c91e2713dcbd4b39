/**
 * The one fold: a session as its log describes it, one state per commit, with its participants, their lines of
 * tokens, checkpoints and files. Written from docs/protocol.md; it knows none of the product's code.
 */
import {
  canonical,
  type LoggedCommit,
  type LoggedEvent,
  type SessionView,
  type StoredSession,
} from "./history.ts";
import { impliedBy, operationOf, rowOf, TERMINAL } from "./operations.ts";

export interface FoldedParticipant {
  readonly number: number;
  readonly scopes: ReadonlySet<string>;
  readonly madeBy: number | null;
  /** When its own access ends; Infinity if with the session. */
  readonly until: number;
  readonly isPerson: boolean;
  readonly isRevoked: boolean;
  /** It has filled in, and may not approve. */
  readonly filled: boolean;
  /** First seqs of the commits that issued its tokens; the last is the newest. */
  readonly line: readonly number[];
  /** The token that its last resume issued. */
  readonly fence: number;
  readonly seen: number;
  readonly cursor: number;
  /** Index of its last commit that spent a token. */
  readonly lastSpent: number | null;
}

export interface Folded extends StoredSession {
  readonly retentionMs: number;
  readonly endedAt: number | null;
  /** Automatic resumes were suspended after too many failures. */
  readonly suspended: boolean;
  readonly required: readonly string[];
  /** How many approvals are needed; 0 means no review. */
  readonly approvals: number;
  readonly approvedBy: ReadonlySet<number>;
  readonly participants: ReadonlyMap<number, FoldedParticipant>;
  readonly checkpoints: ReadonlySet<number>;
  /** The checkpoint that bridges what was trimmed, and the seq up to which it was. */
  readonly bridge: number | null;
  readonly floor: number;
  readonly uploads: ReadonlyMap<number, "pending" | "confirmed">;
  /** Private fields whose value is stored. */
  readonly privates: ReadonlySet<string>;
  /** Did it, or anyone that counts as one with it, fill in? */
  hasFilledLine(number: number): boolean;
}

const EMPTY: Folded = {
  state: "",
  version: 0,
  head: 0,
  paused: false,
  title: null,
  fields: {},
  expiresAt: 0,
  retentionMs: Number.POSITIVE_INFINITY,
  endedAt: null,
  suspended: false,
  required: [],
  approvals: 0,
  approvedBy: new Set(),
  participants: new Map(),
  checkpoints: new Set(),
  bridge: null,
  floor: 0,
  uploads: new Map(),
  privates: new Set(),
  hasFilledLine(number) {
    return hasFilledLine(this.participants, number);
  },
};

export interface FoldedLog {
  /** The state after each commit. */
  readonly states: readonly Folded[];
  /** Contradictions in the log. */
  readonly problems: readonly string[];
}

export function foldLog(commits: readonly LoggedCommit[]): FoldedLog {
  const states: Folded[] = [];
  const problems: string[] = [];
  let folded = EMPTY;
  for (const [index, commit] of commits.entries()) {
    const before = folded;
    for (const event of commit.events) folded = foldEvent(folded, event, commit, problems);
    folded = foldTokens(before, folded, commit, index);
    states.push(folded);
  }
  return { states, problems };
}

function foldEvent(
  before: Folded,
  event: LoggedEvent,
  { participant }: LoggedCommit,
  problems: string[],
): Folded {
  const { seq, state, version } = event;
  const moved = version !== before.version;
  if (moved && version !== seq) problems.push(`event ${seq} says version ${version}`);
  if (!moved && state !== before.state) {
    problems.push(`event ${seq} leads to ${state} without moving the version`);
  }
  const isEnd = TERMINAL.has(state) && !TERMINAL.has(before.state);
  return {
    ...before,
    state,
    version,
    head: seq,
    endedAt: isEnd ? Date.parse(event.at) : before.endedAt,
    ...changeBy(before, event, participant, problems),
  };
}

type Payload = LoggedEvent["payload"];

interface Review {
  readonly required: boolean;
  readonly approvals: number;
}

function changeBy(
  before: Folded,
  { seq, type, payload }: LoggedEvent,
  by: number | null,
  problems: string[],
): Partial<Folded> {
  switch (type) {
    case "session.created":
      return created(payload);
    case "fields.updated":
      return changedFields(before, seq, payload["changes"] as readonly Change[], problems);
    case "session.updated":
      return "title" in payload ? { title: payload["title"] as string | null } : {};
    case "checkpoint.restored": {
      const { title, fields } = payload["document"] as Pick<SessionView, "title" | "fields">;
      return { title, fields };
    }
    case "session.paused":
      return { paused: true };
    case "session.unpaused":
      return { paused: false, suspended: false };
    case "resume.suspended":
      return { suspended: true };
    case "session.extended":
      return { expiresAt: timeIn(payload["expiresAt"]) };
    case "session.submitted":
    case "review.changes_requested":
      return { approvedBy: new Set<number>() };
    case "review.approved":
      return { approvedBy: withOne(before.approvedBy, numberIn(payload["participant"])) };
    case "checkpoint.created": {
      const made = withOne(before.checkpoints, numberIn(payload["id"]));
      return { checkpoints: withoutOne(made, numberIn(payload["pruned"])) };
    }
    case "checkpoint.deleted":
      return { checkpoints: withoutOne(before.checkpoints, numberIn(payload["id"])) };
    case "session.trimmed": {
      if (payload["outcome"] !== "success") return {};
      const { id } = payload["checkpoint"] as { readonly id: string };
      return { floor: Number(payload["floor"]), bridge: numberIn(id) };
    }
    case "upload.requested":
    case "upload.confirmed": {
      const status = type === "upload.requested" ? ("pending" as const) : ("confirmed" as const);
      return { uploads: new Map(before.uploads).set(numberIn(payload["upload"]), status) };
    }
    case "upload.removed": {
      const uploads = new Map(before.uploads);
      uploads.delete(numberIn(payload["upload"]));
      return { uploads };
    }
    case "private.erased":
      return { privates: withoutOne(before.privates, String(payload["field"])) };
    case "handoff.created":
    case "handoff.link_issued":
      return { participants: withMade(before, seq, payload) };
    case "handoff.revoked":
      return {
        participants: withRevoked(before, payload["participants"] as readonly string[], by),
      };
    default:
      return {};
  }
}

function created(payload: Payload): Partial<Folded> {
  const document = payload["document"] as { readonly fields?: SessionView["fields"] } | undefined;
  const schema = payload["schema"] as { readonly required?: readonly string[] } | null | undefined;
  const review = payload["review"] as Partial<Review> | undefined;
  const creator = { number: 1, scopes: impliedBy(["own"]), madeBy: null, until: Infinity };
  return {
    title: (payload["title"] ?? null) as string | null,
    fields: document?.fields ?? {},
    expiresAt: timeIn(payload["expiresAt"]),
    retentionMs: Number(payload["retentionMs"] ?? Infinity),
    required: schema?.required ?? [],
    approvals: review?.required === true ? (review.approvals ?? 1) : 0,
    participants: new Map([[1, { ...NEW_PARTICIPANT, ...creator, filled: true }]]),
  };
}

const NEW_PARTICIPANT = {
  isPerson: false,
  isRevoked: false,
  filled: false,
  line: [] as readonly number[],
  fence: 0,
  seen: 0,
  cursor: 0,
  lastSpent: null,
};

function withMade({ participants, version }: Folded, seq: number, payload: Payload) {
  const number = numberIn(payload["participant"]);
  // A link that is issued again has the event of a new one.
  if (participants.has(number)) return participants;
  const { expiresAt } = payload;
  const made: FoldedParticipant = {
    ...NEW_PARTICIPANT,
    number,
    scopes: impliedBy((payload["scopes"] ?? []) as readonly string[]),
    madeBy: payload["madeBy"] === undefined ? null : numberIn(payload["madeBy"]),
    until: expiresAt === undefined ? Number.POSITIVE_INFINITY : timeIn(expiresAt),
    isPerson: payload["to"] === "human",
    line: [seq],
    fence: seq,
    seen: version,
  };
  return new Map(participants).set(number, made);
}

/** Those that a revoked participant made are revoked with it, whether or not the event names them. */
function withRevoked({ participants }: Folded, names: readonly string[], caller: number | null) {
  const all = new Set(names.flatMap((name) => [...fallenBy(participants, numberIn(name), caller)]));
  return new Map(
    [...participants].map(([number, one]) => [
      number,
      all.has(number) ? { ...one, isRevoked: true } : one,
    ]),
  );
}

/** The target falls with all it made; a caller that it made stays, and those that the caller made. */
export function fallenBy(
  participants: Folded["participants"],
  target: number | "others",
  caller: number | null,
): ReadonlySet<number> {
  const falls = (number: number): boolean => {
    if (target === "others") return number !== caller;
    const line = ancestry(participants, number);
    const spared = caller === null ? -1 : line.indexOf(caller);
    const at = line.indexOf(target);
    return at >= 0 && (spared < 0 || spared > at);
  };
  const standing = [...participants.values()].filter(({ isRevoked }) => !isRevoked);
  return new Set(standing.map(({ number }) => number).filter(falls));
}

/** The participant, its maker, the maker's maker, up to the creator. */
function ancestry(all: Folded["participants"], number: number): readonly number[] {
  const maker = all.get(number)?.madeBy ?? null;
  return maker === null ? [number] : [number, ...ancestry(all, maker)];
}

interface Change {
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

function changedFields(
  before: Folded,
  seq: number,
  changes: readonly Change[],
  problems: string[],
): Partial<Folded> {
  const fields = new Map(Object.entries(before.fields));
  const privates = new Set(before.privates);
  for (const { field, from, to } of changes) {
    if (canonical(fields.get(field)) !== canonical(from)) {
      problems.push(`event ${seq} changes ${field} from what it was not`);
    }
    if (to === undefined) fields.delete(field);
    else fields.set(field, to);
    if (to === undefined) privates.delete(field);
    else if (typeof to === "object" && to !== null && "$private" in to) privates.add(field);
  }
  return { fields: Object.fromEntries(fields), privates };
}

/** The author's line of tokens, and what it has seen. */
function foldTokens(before: Folded, after: Folded, commit: LoggedCommit, index: number): Folded {
  const name = operationOf(commit);
  const { first, last, participant } = commit;
  const one = participant === null ? undefined : after.participants.get(participant);
  const joined = [...after.participants].filter(([number]) => !before.participants.has(number));
  const participants = new Map(after.participants);
  for (const [number, made] of joined) {
    participants.set(number, {
      ...made,
      line: [first],
      fence: first,
      seen: after.version,
      cursor: last,
    });
  }
  if (one === undefined || name === null || name === "create" || !rowOf(name).spends) {
    return joined.length === 0 ? after : { ...after, participants };
  }
  const isResume = name === "resume";
  const isSeen = isResume || after.version !== before.version;
  participants.set(one.number, {
    ...one,
    line: [...one.line, first],
    fence: isResume ? first : one.fence,
    cursor: isResume ? last : one.cursor,
    seen: isSeen ? after.version : one.seen,
    filled: one.filled || rowOf(name).fills,
    lastSpent: index,
  });
  return { ...after, participants };
}

/** Those that one participant without `own` made, directly or through others, are one with it. */
function hasFilledLine(all: Folded["participants"], number: number): boolean {
  const rootOf = (one: number): number => {
    const line = ancestry(all, one);
    const owner = line.findIndex((other, at) => at > 0 && all.get(other)?.scopes.has("own"));
    return line[owner === -1 ? line.length - 1 : owner - 1] ?? one;
  };
  const root = rootOf(number);
  return [...all.values()].some((one) => one.filled && rootOf(one.number) === root);
}

/** What differs between two views of a session, or null. */
export function difference(shown: SessionView, folded: SessionView): string | null {
  for (const key of ["state", "version", "head", "paused", "title", "fields"] as const) {
    if (canonical(shown[key]) !== canonical(folded[key])) {
      return `${key} is ${canonical(shown[key])}, the log says ${canonical(folded[key])}`;
    }
  }
  return null;
}

/** The number in `par_3`, `chk_3` or `upl_3`; NaN if there is none. */
export const numberIn = (name: unknown): number => Number(/_(\d+)$/.exec(String(name))?.[1]);

const timeIn = (text: unknown): number => Date.parse(String(text));
const withOne = <T>(all: ReadonlySet<T>, one: T): ReadonlySet<T> => new Set([...all, one]);
const withoutOne = <T>(all: ReadonlySet<T>, one: T): ReadonlySet<T> =>
  new Set([...all].filter((other) => other !== one));
