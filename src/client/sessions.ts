/** The sessions of an owner, for whoever has its key: listed, followed, and opened where a token was lost. */
import type { CallOptions, ListFilters, OpenInput } from "./inputs";
import { jsonText } from "./json-text";
import { checkOptions } from "./known-options";
import type { ListedSession, SessionChange, SessionChanges, SessionPage } from "./outputs";
import { queryOf } from "./query";
import { requireSuccess, headersFor, JSON_TYPE } from "./http-messages";
import { sendWithRetry, type ClientConfig, type WireAnswer, type WireRequest } from "./transport";
import type { Session } from "./session";

/** How long a question for changes waits on the server. */
const WAIT_MS = 25_000;

const FILTERS: readonly (keyof ListFilters)[] = [
  "state",
  "waiting",
  "waitingLongerThanMs",
  "label",
  "externalId",
  "q",
  "createdAfter",
  "createdBefore",
  "changedAfter",
  "changedBefore",
  "limit",
];

/** Saves a session that was opened, like every other. */
type Adopt = (answer: WireAnswer, as: string) => Promise<Session>;

type RequestOptions = Partial<Pick<WireRequest, "extraTimeMs" | "outageMs">> &
  CallOptions & { readonly body?: unknown };

/** Asks the server with the owner's key; a refusal is thrown. */
export type RequestWithKey = (
  method: string,
  path: string,
  options?: RequestOptions,
) => Promise<WireAnswer>;

export const createRequestWithKey =
  (means: ClientConfig, url: string): RequestWithKey =>
  async (method, path, { body, signal, ...rest } = {}) => {
    const headers = {
      ...headersFor(null, body === undefined ? null : JSON_TYPE),
      ...(means.key === undefined ? {} : { "Baton-Key": means.key }),
    };
    const sent = body === undefined ? null : jsonText(body);
    const request = { url: url + path, method, headers, body: sent, ...rest };
    return requireSuccess(await sendWithRetry(means, request, signal), url);
  };

/** A list that is read page by page as it is gone through, newest session first. */
export class SessionListing implements AsyncIterable<ListedSession> {
  readonly #read: (cursor: string | null) => Promise<SessionPage>;

  constructor(read: (cursor: string | null) => Promise<SessionPage>) {
    this.#read = read;
  }

  /** One page: the first, or the one after a `nextCursor`. */
  page(cursor: string | null = null): Promise<SessionPage> {
    return this.#read(cursor);
  }

  /** One page after another. */
  async *pages(): AsyncGenerator<SessionPage, void, undefined> {
    for (let cursor: string | null = null; ; ) {
      const page: SessionPage = await this.#read(cursor);
      yield page;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  /** One session after another, over all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ListedSession, void, undefined> {
    for await (const { sessions } of this.pages()) yield* sessions;
  }
}

/** All sessions of an owner: listed, followed and opened by key. */
export class Sessions {
  readonly #requestWithKey: RequestWithKey;
  readonly #outageMs: number;
  readonly #adopt: Adopt;

  constructor(ask: RequestWithKey, outageMs: number, adopt: Adopt) {
    this.#requestWithKey = ask;
    this.#outageMs = outageMs;
    this.#adopt = adopt;
  }

  /**
   * The owner's sessions, newest first; asks nothing until it is gone through.
   *
   * @example
   * ```ts
   * for await (const { id, title, waiting } of baton.sessions.list({ waiting: "person" })) {
   *   console.log(id, title, waiting?.since);
   * }
   * ```
   */
  list(filters: ListFilters = {}, { signal }: CallOptions = {}): SessionListing {
    checkOptions("sessions.list", filters, FILTERS);
    const { state, label, ...rest } = filters;
    const given = {
      ...rest,
      state: typeof state === "string" ? state : state?.join(","),
      label: typeof label === "object" ? `${label.name}:${label.value}` : label,
    };
    return new SessionListing(async (cursor) => {
      const path = `/sessions${queryOf({ ...given, cursor: cursor ?? undefined })}`;
      return (await this.#requestWithKey("GET", path, { signal })).body as SessionPage;
    });
  }

  /**
   * Every change of the list after a number, then each as it comes, until the signal ends it. Goes on
   * without a connection for `retry.outageMs`.
   */
  async *changes(
    { after = 0 }: { readonly after?: number } = {},
    { signal }: CallOptions = {},
  ): AsyncGenerator<SessionChange, void, undefined> {
    for (let next = after; ; ) {
      const path = `/sessions/changes${queryOf({ after: next, waitMs: WAIT_MS })}`;
      const options = { signal, extraTimeMs: WAIT_MS, outageMs: this.#outageMs };
      const { body } = await this.#requestWithKey("GET", path, options);
      const { changes, nextAfter } = body as SessionChanges;
      yield* changes;
      next = nextAfter;
    }
  }

  /** Opens a session of the owner by its id, for a new participant; a lost token is recovered so. */
  async open(
    id: string,
    input: OpenInput = {},
    { as = id, signal }: CallOptions & { readonly as?: string } = {},
  ): Promise<Session> {
    const path = `/sessions/${encodeURIComponent(id)}/open`;
    return this.#adopt(await this.#requestWithKey("POST", path, { body: input, signal }), as);
  }
}
