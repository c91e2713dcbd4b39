/** The sessions of an owner, for whoever has its key: listed, followed, and opened where a token was lost. */
import { refusalOf, type Problem } from "./errors";
import type { CallOptions, ListFilters, OpenInput } from "./inputs";
import type { ListedSession, SessionChange, SessionChanges, SessionPage } from "./outputs";
import { queryOf } from "./query";
import { exchange, type Means, type WireAnswer } from "./transport";
import type { Session } from "./session";

/** How long a question for changes waits on the server. */
const WAIT_MS = 25_000;

/** Saves a session that was opened, like every other. */
type Adopt = (answer: WireAnswer, as: string) => Promise<Session>;

export async function askByKey(
  means: Means,
  url: string,
  method: string,
  path: string,
  options: CallOptions & {
    readonly body?: unknown;
    readonly extraTimeMs?: number;
    readonly outageMs?: number;
  } = {},
) {
  const { body, signal, extraTimeMs = 0, outageMs } = options;
  const headers = {
    Accept: "application/json",
    ...(means.key === undefined ? {} : { "Baton-Key": means.key }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
  const sent = body === undefined ? null : JSON.stringify(body);
  const patience = outageMs === undefined ? {} : { outageMs };
  const request = { url: url + path, method, headers, body: sent, extraTimeMs, ...patience };
  const answer = await exchange(means, request, signal, false);
  if (!answer.isOk) throw refusalOf(answer.body as Problem);
  return answer;
}

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
  readonly #means: Means;
  readonly #url: string;
  readonly #adopt: Adopt;

  constructor(means: Means, url: string, adopt: Adopt) {
    this.#means = means;
    this.#url = url;
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
    const { state, label, ...rest } = filters;
    const given = {
      ...rest,
      state: typeof state === "string" ? state : state?.join(","),
      label: label === undefined ? undefined : `${label.name}:${label.value}`,
    };
    return new SessionListing(async (cursor) => {
      const path = `/sessions${queryOf({ ...given, cursor: cursor ?? undefined })}`;
      return (await askByKey(this.#means, this.#url, "GET", path, { signal })).body as SessionPage;
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
      const { outageMs } = this.#means.retry;
      const options = { signal, extraTimeMs: WAIT_MS, outageMs };
      const { body } = await askByKey(this.#means, this.#url, "GET", path, options);
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
    const options = { body: input, signal };
    return this.#adopt(await askByKey(this.#means, this.#url, "POST", path, options), as);
  }
}
