/**
 * The owner's sessions: listed, followed, and opened if a token was lost. Needs the owner's key.
 */
import type { CallOptions, ListFilters, OpenInput } from "./inputs";
import { jsonText } from "./json-text";
import { checkOptions } from "./known-options";
import type { ListedSession, SessionChange, SessionChanges, SessionPage } from "./outputs";
import { queryOf } from "./query";
import { requireSuccess, headersFor, JSON_TYPE } from "./http-messages";
import { sendWithRetry, type ClientConfig, type WireAnswer, type WireRequest } from "./transport";
import type { Session } from "./session";

/** How long a request for changes waits on the server. */
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

/** Saves an opened session like any other. */
type Adopt = (answer: WireAnswer, as: string) => Promise<Session>;

type RequestOptions = Partial<Pick<WireRequest, "extraTimeMs" | "outageMs">> &
  CallOptions & { readonly body?: unknown };

/** Sends a request with the owner's key; a refusal is thrown. */
export type RequestWithKey = (
  method: string,
  path: string,
  options?: RequestOptions,
) => Promise<WireAnswer>;

export const createRequestWithKey =
  (config: ClientConfig, url: string): RequestWithKey =>
  async (method, path, { body, signal, ...rest } = {}) => {
    const headers = {
      ...headersFor(null, body === undefined ? null : JSON_TYPE),
      ...(config.key === undefined ? {} : { "Baton-Key": config.key }),
    };
    const sent = body === undefined ? null : jsonText(body);
    const request = { url: url + path, method, headers, body: sent, ...rest };
    return requireSuccess(await sendWithRetry(config, request, signal), url);
  };

/** A list that is read page by page during iteration, newest session first. */
export class SessionListing implements AsyncIterable<ListedSession> {
  readonly #read: (cursor: string | null) => Promise<SessionPage>;

  constructor(read: (cursor: string | null) => Promise<SessionPage>) {
    this.#read = read;
  }

  /** One page: the first, or the one at a `nextCursor`. */
  page(cursor: string | null = null): Promise<SessionPage> {
    return this.#read(cursor);
  }

  /** All pages in order. */
  async *pages(): AsyncGenerator<SessionPage, void, undefined> {
    for (let cursor: string | null = null; ; ) {
      const page: SessionPage = await this.#read(cursor);
      yield page;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  /** All sessions, across all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ListedSession, void, undefined> {
    for await (const { sessions } of this.pages()) yield* sessions;
  }
}

/** All sessions of an owner: list, follow and open them by key. */
export class Sessions {
  readonly #requestWithKey: RequestWithKey;
  readonly #outageMs: number;
  readonly #adopt: Adopt;

  constructor(requestWithKey: RequestWithKey, outageMs: number, adopt: Adopt) {
    this.#requestWithKey = requestWithKey;
    this.#outageMs = outageMs;
    this.#adopt = adopt;
  }

  /**
   * The owner's sessions, newest first. Sends no request until the iteration starts.
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
    const query = {
      ...rest,
      state: typeof state === "string" ? state : state?.join(","),
      label: typeof label === "object" ? `${label.name}:${label.value}` : label,
    };
    return new SessionListing(async (cursor) => {
      const path = `/sessions${queryOf({ ...query, cursor: cursor ?? undefined })}`;
      return (await this.#requestWithKey("GET", path, { signal })).body as SessionPage;
    });
  }

  /**
   * Every change of the list after a number, then new changes live, until the signal aborts. Goes
   * on without a connection for `retry.outageMs`.
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

  /**
   * Opens a session of the owner by its id, for a new participant, for example after a token was
   * lost.
   */
  async open(
    id: string,
    input: OpenInput = {},
    { as = id, signal }: CallOptions & { readonly as?: string } = {},
  ): Promise<Session> {
    const path = `/sessions/${encodeURIComponent(id)}/open`;
    return this.#adopt(await this.#requestWithKey("POST", path, { body: input, signal }), as);
  }
}
