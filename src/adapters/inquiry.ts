/**
 * A question to a person, for adapters: one Baton session with a form, one link, one answer. Asking
 * again under the same name, after a crash or on another machine, finds the same question.
 */
import { findOrCreateLink, markLinkSent, withQuestionLock } from "../client/ask-person";
import { TransportError, WireError } from "../client";
import type { Baton, CallOptions, JsonObject, Session } from "../client";

/** How to ask questions. */
export interface InquiryOptions {
  /**
   * The connection. With a token store on disk a question survives a restart; with an owner's key
   * it can be found from any machine.
   */
  readonly baton: Baton;
  /** Separates names in a shared store or owner. Default `default`. */
  readonly namespace?: string;
  /** How long the question can be answered. Default 24 hours. */
  readonly ttlMs?: number;
  /** Endpoints (`end_…`) that receive the link. */
  readonly notify?: readonly string[];
  /**
   * Sends the link to the person; awaited. If the process is killed before the log has the event
   * that it was sent, the next process calls this again with a new address for the same link. The
   * old address then stops working.
   */
  readonly onLink?: (link: InquiryLink) => unknown;
}

/** A new link. Anyone who has its address can answer. */
export interface InquiryLink {
  /** The address that the person opens. */
  readonly url: string;
  /** The subject of the question, in one line. */
  readonly title: string;
  /** The name under which the session of the question is saved. */
  readonly name: string;
}

/** A question with its form. */
export interface Inquiry {
  readonly name: string;
  readonly title: string;
  readonly question: string;
  /** A JSON Schema of all fields, including those that are only shown. */
  readonly schema: JsonObject;
  /** Fields that the person sees but does not fill in. */
  readonly shown: JsonObject;
  readonly ask: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** The state of a question. */
export type InquiryOutcome =
  | { readonly kind: "waiting" }
  | { readonly kind: "answered"; readonly fields: JsonObject; readonly by: string }
  | { readonly kind: "declined"; readonly reason: string; readonly by: string }
  | { readonly kind: "withdrawn" }
  | { readonly kind: "expired" };

const DAY_MS = 24 * 60 * 60 * 1000;
const END_EVENTS = ["handoff.answered", "handoff.declined", "session.cancelled"] as const;
/** The wait between attempts while the server cannot be reached. */
const RETRY_WAIT_MS = 1_000;
/** The maximum lengths of a title, a question and a label. */
const MAX_LENGTH = { title: 300, question: 4_000, label: 256 } as const;

export class PersonInquiry {
  readonly session: Session;
  /** The address of the link, if it may not have been sent to the person yet. */
  url: string | null = null;
  readonly #options: InquiryOptions;
  /** The id of a link that only the caller knows so far. */
  #unsentLinkId: string | null = null;

  private constructor(session: Session, options: InquiryOptions) {
    this.session = session;
    this.#options = options;
  }

  /**
   * Asks the question unless it was asked already. With `repeat`, a question that was answered and
   * closed is asked again, because its answer was used.
   */
  static async ask(
    inquiry: Inquiry,
    options: InquiryOptions,
    { repeat = false, signal }: CallOptions & { readonly repeat?: boolean } = {},
  ): Promise<PersonInquiry> {
    const session = await openSession(inquiry, options, repeat, signal);
    await checkSameInquiry(inquiry, session, signal);
    const personInquiry = new PersonInquiry(session, options);
    const { store } = options.baton;
    await withQuestionLock(
      store,
      session.name,
      () => personInquiry.#ensureLink(inquiry, signal),
      signal,
    );
    return personInquiry;
  }

  async #ensureLink(inquiry: Inquiry, signal: AbortSignal | undefined): Promise<void> {
    const { session } = this;
    const { state } = session.state ?? (await session.get({ signal }));
    if (ANSWERED_STATES.has(state)) return;
    const { ttlMs = DAY_MS, notify = [], onLink } = this.#options;
    const linkInput = {
      scopes: ["fill"],
      ttlMs,
      question: inquiry.question.slice(0, MAX_LENGTH.question),
      ask: [...inquiry.ask],
      show: Object.keys(inquiry.shown),
      ...(notify.length === 0 ? {} : { notify: [...notify] }),
    } as const;
    const { id, link } = await findOrCreateLink(session, linkInput, signal);
    if (link === null) return;
    this.url = link.url;
    this.#unsentLinkId = id;
    await onLink?.({ url: link.url, title: inquiry.title, name: inquiry.name });
    if (onLink !== undefined || notify.length > 0) await this.#markSent(signal);
  }

  async #markSent(signal: AbortSignal | undefined): Promise<void> {
    if (this.#unsentLinkId === null) return;
    try {
      await markLinkSent(this.session, this.#unsentLinkId, signal);
    } catch (error) {
      // Refused: the session has ended, so no process would send the link again.
      if (!(error instanceof WireError)) throw error;
    }
    this.#unsentLinkId = null;
  }

  /** The current state of the question. */
  async outcome({ signal }: CallOptions = {}): Promise<InquiryOutcome> {
    try {
      const { state, fields } = await this.session.get({ signal });
      if (state === "cancelled") return this.#declinedOr("withdrawn", signal);
      if (!ANSWERED_STATES.has(state)) return await this.#declinedOr("waiting", signal);
      const types = ["handoff.answered"] as const;
      const { events } = await this.session.page({ after: 0, types, signal });
      const actor = events.at(-1)?.actor;
      // Submitted with a key or a token, which is not the answer of a person.
      if (actor === undefined) return { kind: "withdrawn" };
      return { kind: "answered", fields, by: actor.name ?? actor.id };
    } catch (error) {
      if (error instanceof WireError && error.status === 410) return { kind: "expired" };
      throw error;
    }
  }

  async #declinedOr(kind: "waiting" | "withdrawn", signal?: AbortSignal): Promise<InquiryOutcome> {
    const types = ["handoff.declined", "handoff.answered"] as const;
    const { events } = await this.session.page({ after: 0, types, signal });
    const last = events.findLast(
      ({ type, payload }) => type === "handoff.declined" || payload.answer === "handed_back",
    );
    if (last === undefined) return { kind };
    const reason = last.type === "handoff.declined" ? last.payload.reason : last.payload.message;
    return { kind: "declined", reason: reason ?? "", by: last.actor.name ?? last.actor.id };
  }

  /**
   * Waits for the answer, also while the server restarts. Returns `waiting` if `timeoutMs` is over
   * first; throws if `signal` aborts. A caller that waits has already sent the link.
   */
  async wait({
    timeoutMs = Infinity,
    signal,
  }: CallOptions & { readonly timeoutMs?: number | undefined } = {}): Promise<InquiryOutcome> {
    const end = Date.now() + timeoutMs;
    for (;;) {
      try {
        await this.#markSent(signal);
        const outcome = await this.outcome({ signal });
        const left = end - Date.now();
        if (outcome.kind !== "waiting" || left <= 0) return outcome;
        const after = this.session.state?.head ?? 0;
        const limit = left === Infinity ? undefined : left;
        await this.session.waitFor(END_EVENTS, { after, signal, timeoutMs: limit });
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof TransportError)) throw error;
        if (Date.now() >= end) return { kind: "waiting" };
        await new Promise((resolve) => setTimeout(resolve, RETRY_WAIT_MS));
      }
    }
  }

  /** Ends the session once its answer was read, so that it no longer seems to wait. */
  async close(outcome: InquiryOutcome, reason: string): Promise<void> {
    const { session } = this;
    const { state, version } = await session.get();
    if (state === "finalized" || state === "cancelled") return;
    const options = { ifMatch: version };
    if (outcome.kind === "answered") await session.finalize({ reason }, options);
    else await session.cancel({ reason }, options);
  }
}

/**
 * The name is predictable: another key of this owner could have created a different question under
 * it.
 */
async function checkSameInquiry(
  { name, shown }: Inquiry,
  session: Session,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { fields } = session.state ?? (await session.get({ signal }));
  const found = Object.keys(shown).map((key) => (fields as JsonObject)[key] ?? null);
  if (JSON.stringify(found) === JSON.stringify(Object.values(shown))) return;
  throw new Error(`The session "${name}" asks another question. Nothing was decided.`);
}

const ANSWERED_STATES: ReadonlySet<string> = new Set(["submitted", "finalized", "cancelled"]);

function openSession(
  { name, title, schema, shown, labels }: Inquiry,
  { baton, ttlMs = DAY_MS }: InquiryOptions,
  repeat: boolean,
  signal: AbortSignal | undefined,
): Promise<Session> {
  const clipped = Object.entries(labels).map(([key, text]) => [
    key,
    text.slice(0, MAX_LENGTH.label),
  ]);
  const input = {
    title: title.slice(0, MAX_LENGTH.title),
    schema,
    fields: shown,
    labels: Object.fromEntries(clipped) as Record<string, string>,
    ttlMs,
  };
  const fresh = repeat ? { onEnded: "fresh" as const } : {};
  return baton.open(name, input, { resume: false, externalId: name, signal, ...fresh });
}
