/**
 * The first checks of every request in the object, and the one gate for content. What a session
 * holds (its document, its events, the results of its jobs) can be read only from a `Viewer`, and a
 * `Viewer` is created only here, after all checks against the current time. Nothing here writes.
 *
 * One thing bypasses the `Viewer`: listeners.ts sends the text of a commit as it was stored to
 * sockets that were admitted to listen. A narrowed agent's socket is only told the numbers, so that
 * its follower reads the log here. What narrows a link can change while it listens, so its page takes
 * from a socket only that something was committed (ui/live.ts).
 */
import {
  admit,
  canView,
  participantExpiryProblem,
  tokenStatusOf,
} from "../domain/participants/admission";
import type { Credential, TokenStatus } from "../domain/participants/admission";
import { eventsIn } from "../domain/log/event-line";
import { expiryTime, isPurgeable, purgeAt } from "../domain/session/expiry";
import type { Failure } from "../domain/failure";
import { viewJob, type JobView } from "../domain/jobs/job";
import type { Json } from "../domain/json";
import { participantId } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import { eventNarrower, narrowView, type NarrowedView } from "../domain/participants/narrowed-view";
import { keyHolder, revokeUnlistedKeys } from "../domain/owners/open-by-key";
import {
  canSeeField,
  isNarrowed,
  narrowingOf,
  type Narrowing,
} from "../domain/participants/narrowing";
import type { Operation } from "../domain/session/operation";
import type { Participant } from "../domain/participants/participant";
import type { Session } from "../domain/session/session";
import { isTerminal } from "../domain/session/state";
import { outlineSession, viewSession } from "../domain/session/view";
import type { SessionText, SessionView } from "../domain/session/view";
import type { StoredJob } from "../storage/job-store";
import { readEvidence, type EvidencePart } from "../storage/evidence";
import { readPage, type PageQuery } from "../storage/log-page";
import type { LoadedSession } from "../storage/session-store";
import type { ChainEnd } from "../storage/stored-commit";
import { hexOf, type SessionContext } from "./session-context";
import type { AuthenticatedRequest, EventPage, Refusal, Reply } from "./messages";

/** The caller of an existing session, with a valid credential. Proves no right to read. */
export interface IdentifiedCaller extends LoadedSession {
  readonly participant: Participant;
  readonly tokenStatus: TokenStatus;
}

export const GONE = { ok: false, failure: { code: "gone" } } as const;
const TOKEN_INVALID = { ok: false, failure: { code: "token_invalid" } } as const;
const UNKNOWN_TO_KEY = { code: "token_invalid", what: "session" } as const;
export const NOT_OF_THIS_KEY = { ok: false, failure: UNKNOWN_TO_KEY } as const;

/** The session, unless it is purged or due to be. */
export function loadExisting({ store }: SessionContext, now: number): LoadedSession | null {
  const loaded = store.exists() ? store.load() : null;
  if (loaded === null || isPurgeable(loaded.session, now)) return null;
  return store.outbox().isPurging === true ? null : loaded;
}

/**
 * Checks, in this order: empty object; secret, revocation and binding; the participant's own end.
 */
export const identify = (
  context: SessionContext,
  credential: Credential,
  now: number,
): Reply<IdentifiedCaller> =>
  context.store.migrateIfAccepted(() => {
    const loaded = loadExisting(context, now);
    return loaded === null ? GONE : identifyIn(context, loaded, credential, now);
  });

function identifyIn(
  { store, resolveOrigin }: SessionContext,
  loaded: LoadedSession,
  credential: Credential,
  now: number,
): Reply<IdentifiedCaller> {
  const { session, participants, plan } = loaded;
  if (credential.owner !== undefined) {
    // To a key, a session of another owner is as unknown as to a wrong token.
    if (session.belongs?.owner !== credential.owner.owner) return NOT_OF_THIS_KEY;
    const participant = keyHolder(credential.owner, session);
    return { ok: true, value: { session, participants, plan, participant, tokenStatus: "newest" } };
  }
  const participant = participants.find((one) => one.number === credential.participant) ?? null;
  const isKeyBound = participant?.bind?.key !== undefined;
  const resolved = isKeyBound
    ? { ...credential, from: resolveOrigin(credential.from) }
    : credential;
  const tokenStatus = tokenStatusOf(session, participant, resolved, (seq) => store.issuedAt(seq));
  if (participant === null || tokenStatus === null) return TOKEN_INVALID;
  const ended = participantExpiryProblem(participant, now);
  if (ended !== null) return { ok: false, failure: ended };
  return { ok: true, value: { session, participants, plan, participant, tokenStatus } };
}

/**
 * Identifies the caller as the holder of the creator's first token, which answers a repeated create
 * or fork.
 */
export function identifyByFirstToken(
  context: SessionContext,
  loaded: LoadedSession,
  from: Credential["from"],
  now: number,
): Reply<IdentifiedCaller> {
  const [first] = context.store.issuedAt(1);
  if (first === undefined) return TOKEN_INVALID;
  const credential = { ...first, issuedSeq: 1, ...(from === undefined ? {} : { from }) };
  return identifyIn(context, loaded, credential, now);
}

/** The last JSON text of a session, valid while its participants and its head are the same. */
type CachedText = Pick<LoadedSession, "participants"> & {
  readonly head: number;
  readonly json: string;
};
const cachedTexts = new WeakMap<Session, CachedText>();

/** The response to a request that leaves its token as it is; marked if the token is spent. */
export const replyTo = <T>(
  { tokenStatus }: Pick<IdentifiedCaller, "tokenStatus">,
  value: T,
): Reply<T> =>
  tokenStatus === "newest" ? { ok: true, value } : { ok: true, value, isSpent: true };

/** A caller who is admitted to view the session now. */
export class Viewer implements IdentifiedCaller {
  readonly session: Session;
  readonly participants: LoadedSession["participants"];
  readonly plan: LoadedSession["plan"];
  readonly participant: Participant;
  readonly tokenStatus: TokenStatus;
  readonly #context: SessionContext;

  private constructor(context: SessionContext, caller: IdentifiedCaller) {
    this.#context = context;
    this.session = caller.session;
    this.participants = caller.participants;
    this.plan = caller.plan;
    this.participant = caller.participant;
    this.tokenStatus = caller.tokenStatus;
  }

  /**
   * Null if the caller may not view, or no longer. A replay returns the newest token, and counts as
   * that.
   */
  static of(
    context: SessionContext,
    caller: IdentifiedCaller,
    now: number,
    tokenStatus: TokenStatus = caller.tokenStatus,
  ) {
    const { session, participant } = caller;
    return canView(session, participant, tokenStatus, now) ? new Viewer(context, caller) : null;
  }

  /** The same viewer after its own write. */
  after(loaded: LoadedSession): Viewer {
    const { tokenStatus } = this;
    const { number } = this.participant;
    const participant = loaded.participants.find((one) => one.number === number);
    return new Viewer(this.#context, {
      ...loaded,
      participant: participant ?? this.participant,
      tokenStatus,
    });
  }

  /** What the caller may see if that is narrowed; null for all other callers. */
  narrowing(): Narrowing | null {
    return narrowingOf(this.session, this.participant);
  }

  /** Also true if only what the caller may append is narrowed. */
  get isNarrowed(): boolean {
    return isNarrowed(this.session, this.participant);
  }

  /** Checked anew each time, because a key can be removed from the setting without a commit. */
  visibleSession(): Session {
    const { isListed = () => false } = this.#context.resolveOrigin(undefined);
    return revokeUnlistedKeys(this.session, this.participants, isListed);
  }

  view(): SessionView | NarrowedView {
    const { id, store, online } = this.#context;
    const full = viewSession(id, this.visibleSession(), store.head(), this.participants, online());
    const narrowing = this.narrowing();
    return narrowing === null ? full : narrowView(full, narrowing, this.participant.number);
  }

  /** Only for operations that a narrowed participant cannot call. */
  fullView(): SessionView {
    if (this.narrowing() !== null) throw new Error("who is narrowed sees no whole session");
    return this.view() as SessionView;
  }

  text(): SessionText {
    const { id, store, online } = this.#context;
    const { participants } = this;
    const session = this.visibleSession();
    const head = store.head();
    if (this.narrowing() !== null) {
      return { id, version: session.version, head, json: JSON.stringify(this.view()) };
    }
    const connected = online();
    const cached = cachedTexts.get(session);
    // Who is connected changes without a commit, so the cached text is used only if nobody is.
    const isSame = cached?.head === head && cached.participants === participants;
    const json =
      connected.size === 0 && isSame
        ? cached.json
        : JSON.stringify(viewSession(id, session, head, participants, connected));
    if (connected.size === 0) cachedTexts.set(session, { participants, head, json });
    return { id, version: session.version, head, json };
  }

  page(query: PageQuery): EventPage {
    const { session, participant, participants } = this;
    const head = this.#context.store.head();
    const narrowing = this.narrowing();
    const narrow =
      narrowing === null ? null : eventNarrower(narrowing, participant.number, participants);
    const page = readPage(this.#context.store, query, head, narrow);
    return { ...page, ...positionOf(session, participant, head) };
  }

  /** Part of an export. */
  evidence(after: number, until: number): EvidencePart {
    const { id, store } = this.#context;
    return readEvidence(store, id, { after, until }, LIMITS.pageBytes);
  }

  /** Returns null beyond the head. */
  chainAt(seq: number): ChainEnd | null {
    return this.#context.store.chainAt(seq);
  }

  job({ job, result }: StoredJob): JobView {
    return viewJob(job, hexOf(this.#context), result);
  }

  jobInput(number: number): Json {
    return this.#context.jobs.input(number);
  }

  checkpointBody(number: number): string | null {
    return this.#context.checkpoints.body(number);
  }
}

/**
 * The members of a page besides its events: where the log ends, and how long the caller may read
 * it.
 */
function positionOf(session: Session, { expiresAt }: Participant, head: number) {
  const ended = isTerminal(session.state);
  const ownEnd = expiresAt ?? Infinity;
  // An ended session no longer expires, but it is purged later.
  const validUntil = Math.min(ended ? purgeAt(session) : session.expiresAt, ownEnd);
  return { head, ended, validUntil, ownEnd, expiresAt: expiryTime(session) };
}

/** A page for a caller who may know where the log ends and nothing else. */
export const emptyPage = (
  context: SessionContext,
  { session, participant }: IdentifiedCaller,
  after: number,
): EventPage => ({
  texts: [],
  count: 0,
  nextAfter: after,
  more: false,
  ...positionOf(session, participant, context.store.head()),
});

/** The session for a viewer, its outline for any other identified caller. */
export function showText(
  context: SessionContext,
  { session }: LoadedSession,
  viewer: Viewer | null,
): SessionText {
  if (viewer !== null) return viewer.text();
  const outline = outlineSession(context.id, session, context.store.head());
  const { id, version, head } = outline;
  return { id, version, head, json: JSON.stringify(outline) };
}

/** A stale caller also gets the current session and the events it missed, if it may view them. */
export function refusal(
  context: SessionContext,
  caller: IdentifiedCaller,
  failure: Failure,
  now: number,
): Refusal {
  const refused = { ok: false, failure } as const;
  switch (failure.code) {
    case "token_superseded":
    case "illegal_transition":
    case "replay_gap":
    case "paused": {
      const viewer = Viewer.of(context, caller, now);
      const outline = () => outlineSession(context.id, caller.session, context.store.head());
      return { ...refused, current: viewer?.view() ?? outline() };
    }
    case "version_conflict":
    case "precondition_failed": {
      const viewer = Viewer.of(context, caller, now);
      return viewer === null ? refused : { ...refused, ...catchUp(viewer, failure) };
    }
    case "invalid_fields":
    case "missing_fields":
      return { ok: false, failure: withoutHiddenFields(caller, failure) };
    case "lease_held":
      return { ok: false, failure: withoutHolder(caller, failure) };
    default:
      return refused;
  }
}

/** To a narrowed participant, others are hidden. */
function withoutHolder(
  { session, participant }: IdentifiedCaller,
  failure: Extract<Failure, { code: "lease_held" }>,
): Failure {
  const isOwn = failure.holder?.participant === participantId(participant.number);
  if (isOwn || narrowingOf(session, participant) === null) return failure;
  const { holder: _, ...rest } = failure;
  return rest;
}

type FieldFailure = Extract<Failure, { code: "invalid_fields" | "missing_fields" }>;

/**
 * A narrowed agent is told of its own fields, and otherwise only that there are problems. A person's
 * page shows those of its form, and decides by the others what an answer does.
 */
function withoutHiddenFields(
  { session, participant }: IdentifiedCaller,
  failure: FieldFailure,
): FieldFailure {
  const narrowing = participant.link === undefined ? narrowingOf(session, participant) : null;
  if (narrowing === null) return failure;
  const problems = failure.problems.filter(({ field }) => canSeeField(narrowing, field));
  if (problems.length === failure.problems.length) return failure;
  const problem = failure.code === "missing_fields" ? "missing" : "invalid";
  return { ...failure, problems: [...problems, { field: "", problem, message: HIDDEN_PROBLEM }] };
}

const HIDDEN_PROBLEM = "fields that this participant cannot see are missing or not valid";

type Conflict = Extract<Failure, { code: "version_conflict" | "precondition_failed" }>;

function catchUp(
  viewer: Viewer,
  failure: Conflict,
): Pick<Required<Refusal>, "current" | "missed" | "more"> {
  const [seen, actual] =
    failure.code === "version_conflict"
      ? [failure.seen, failure.actual]
      : [failure.given, failure.version];
  const current = viewer.view();
  // A version beyond the current one was never seen, whatever the request claims.
  const after = seen <= actual ? seen : viewer.participant.seenVersion;
  // Below the floor the log is incomplete. Reading it reports that, and what bridges the gap.
  if (after < (viewer.session.trimmed?.floor ?? 0)) return { current, missed: [], more: true };
  const limits = { limit: LIMITS.missedEvents, maxLength: LIMITS.missedBytes };
  const { texts, more } = viewer.page({ after, types: [], ...limits });
  return { current, missed: eventsIn(texts), more };
}

/** All checks for requests that spend no token and carry no condition. */
export function admitTo(
  context: SessionContext,
  { credential, problem }: AuthenticatedRequest,
  operation: Operation,
  now: number,
): Reply<Viewer> {
  const caller = identify(context, credential, now);
  if (!caller.ok) return caller;
  const { session, participant, tokenStatus } = caller.value;
  // Checked before the rights and the lease: a caller who may read learns what is wrong with its request.
  const isMalformed = problem !== undefined;
  const attempt = { operation: isMalformed ? "get" : operation, request: null, ifMatch: null };
  const checked = isMalformed ? { hash: credential.hash } : credential;
  const admitted = admit(session, participant, tokenStatus, checked, attempt, now);
  const failure = admitted.ok ? problem : admitted.error;
  if (failure !== undefined) return refusal(context, caller.value, failure, now);
  return { ok: true, value: requireViewer(context, caller.value, now) };
}

/** The viewer of a caller who was admitted to more than reading. */
export function requireViewer(
  context: SessionContext,
  caller: IdentifiedCaller,
  now: number,
): Viewer {
  const viewer = Viewer.of(context, caller, now);
  if (viewer === null) throw new Error("who may act may look");
  return viewer;
}
