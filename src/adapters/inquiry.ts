/**
 * A question to a person, as adapters ask it: one Baton session with a form, one link, one answer.
 * Asking again under the same name, after a crash or on another machine, finds the same question.
 */
import { findOrCreateLink, markLinkSent, withQuestionLock } from "../client/ask-person";
import { TransportError, WireError } from "../client";
import type { Baton, CallOptions, JsonObject, Session } from "../client";

/** How questions are asked. */
export interface InquiryOptions {
  /** The connection. With a token store on disk a question survives a restart; with a key, any machine. */
  readonly baton: Baton;
  /** Keeps apart what shares a store or an owner. Default `default`. */
  readonly namespace?: string;
  /** How long a question can be answered. Default 24 hours. */
  readonly ttlMs?: number;
  /** Endpoints (`end_…`) that are sent the link. */
  readonly notify?: readonly string[];
  /**
   * Sends the link to the person; awaited. If the process is killed before this is noted in the log, the
   * next one calls it again, with a new address for the same link; the old address then stops working.
   */
  readonly onLink?: (link: InquiryLink) => unknown;
}

/** A link that was just made. Anyone who has its address can answer. */
export interface InquiryLink {
  /** The address that the person opens. */
  readonly url: string;
  /** What the question is about, in one line. */
  readonly title: string;
  /** The name under which the session of the question is saved. */
  readonly name: string;
}

/** What is asked. */
export interface Inquiry {
  readonly name: string;
  readonly title: string;
  readonly question: string;
  /** A JSON Schema of all fields, those that are only shown among them. */
  readonly schema: JsonObject;
  /** What the person sees beside the question. */
  readonly shown: JsonObject;
  readonly ask: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** What became of a question. */
export type InquiryOutcome =
  | { readonly kind: "waiting" }
  | { readonly kind: "answered"; readonly fields: JsonObject; readonly by: string }
  | { readonly kind: "declined"; readonly reason: string; readonly by: string }
  | { readonly kind: "withdrawn" }
  | { readonly kind: "expired" };

const DAY_MS = 24 * 60 * 60 * 1000;
const END_EVENTS = ["handoff.answered", "handoff.declined", "session.cancelled"] as const;
/** Between attempts while the server cannot be reached. */
const RETRY_WAIT_MS = 1_000;
/** As many characters as a title, a question and a label may have. */
const MAX_LENGTH = { title: 300, question: 4_000, label: 256 } as const;

export class PersonInquiry {
  readonly session: Session;
  /** The link, where it is not known to be with the person yet. */
  url: string | null = null;
  readonly #options: InquiryOptions;
  /** The id of a link that this process made known to nobody but its caller. */
  #unsentLinkId: string | null = null;

  private constructor(session: Session, options: InquiryOptions) {
    this.session = session;
    this.#options = options;
  }

  /**
   * Asks, unless the question stands already. With `again`, one that was answered and closed is asked
   * anew: then the answer was used up.
   */
  static async ask(
    inquiry: Inquiry,
    options: InquiryOptions,
    { again = false, signal }: CallOptions & { readonly again?: boolean } = {},
  ): Promise<PersonInquiry> {
    const session = await openSession(inquiry, options, again, signal);
    await checkSameInquiry(inquiry, session, signal);
    const asked = new PersonInquiry(session, options);
    const { store } = options.baton;
    await withQuestionLock(store, session.name, () => asked.#ensureLink(inquiry, signal), signal);
    return asked;
  }

  async #ensureLink(inquiry: Inquiry, signal: AbortSignal | undefined): Promise<void> {
    const { session } = this;
    const { state } = session.state ?? (await session.get({ signal }));
    if (ANSWERED_STATES.has(state)) return;
    const { ttlMs = DAY_MS, notify = [], onLink } = this.#options;
    const asking = {
      scopes: ["fill"],
      ttlMs,
      question: inquiry.question.slice(0, MAX_LENGTH.question),
      ask: [...inquiry.ask],
      show: Object.keys(inquiry.shown),
      ...(notify.length === 0 ? {} : { notify: [...notify] }),
    } as const;
    const { id, link } = await findOrCreateLink(session, asking, signal);
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
      // Refused: the session is over, so nobody would send the link again.
      if (!(error instanceof WireError)) throw error;
    }
    this.#unsentLinkId = null;
  }

  /** What has become of it by now. */
  async outcome({ signal }: CallOptions = {}): Promise<InquiryOutcome> {
    try {
      const { state, fields } = await this.session.get({ signal });
      if (state === "cancelled") return this.#declinedOr("withdrawn", signal);
      if (!ANSWERED_STATES.has(state)) return await this.#declinedOr("waiting", signal);
      const types = ["handoff.answered"] as const;
      const { events } = await this.session.page({ after: 0, types, signal });
      const actor = events.at(-1)?.actor;
      // Submitted by somebody with a key or a token: that is no answer of a person.
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
   * Waits for the answer, also while the server restarts. `waiting` where `timeoutMs` is over first;
   * throws where `signal` ends it. Who waits has done with the link what it wanted.
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
        await new Promise((settle) => setTimeout(settle, RETRY_WAIT_MS));
      }
    }
  }

  /** Ends the session once its answer is taken, so that nothing is left that seems to wait. */
  async close(outcome: InquiryOutcome, reason: string): Promise<void> {
    const { session } = this;
    const { state, version } = await session.get();
    if (state === "finalized" || state === "cancelled") return;
    const options = { ifMatch: version };
    if (outcome.kind === "answered") await session.finalize({ reason }, options);
    else await session.cancel({ reason }, options);
  }
}

/** The name can be computed: whoever has a key of this owner could have begun another question under it. */
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
  again: boolean,
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
  const fresh = again ? { onEnded: "fresh" as const } : {};
  return baton.open(name, input, { resume: false, externalId: name, signal, ...fresh });
}
