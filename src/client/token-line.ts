/**
 * A participant's line of tokens, as one client holds it: each write takes the newest token, is saved
 * with it and a random key before it is sent, and is followed by saving the next. Strictly one after
 * another, also between processes that share a store. Whoever comes after a crash first finishes
 * what is pending.
 */
import { errorFromProblem, StoreError, type Problem } from "./errors";
import { CREATE_PATH, isSameRequest, randomKey, type WriteRequest } from "./write-request";
import { jsonText } from "./json-text";
import {
  emptySavedSession,
  type PendingRequest,
  type SavedSession,
  type TokenStore,
} from "./token-store";
import { requireSuccess, headersFor, JSON_TYPE } from "./http-messages";
import type { ResponseBody, ReadOptions, SessionSummary } from "./http-messages";
import type { SettledRequest } from "./settled";
import {
  sendWithRetry,
  isRetryable,
  type ClientConfig,
  type WireAnswer,
  type WireRequest,
} from "./transport";

/** A resume may begin a session too, where it is told to. */
const CREATING_OPERATIONS: ReadonlySet<string> = new Set(["create", "resume"]);

/** A large file on a slow line takes its time. */
const FILE_TIMEOUT_MS = 10 * 60 * 1000;

/** The session that is found by what is saved under a name. */
const latestSessionId = ({ successor, sessionId }: SavedSession): string | null =>
  successor ?? sessionId;

type RequestOptions = Partial<Omit<WireRequest, "url" | "headers">> & {
  /** The media type of the body. */
  readonly type?: string;
  readonly signal?: AbortSignal | undefined;
};

export class TokenLine {
  readonly name: string;
  readonly store: TokenStore;
  readonly config: ClientConfig;
  #saved: SavedSession;

  constructor(store: TokenStore, name: string, saved: SavedSession, means: ClientConfig) {
    this.store = store;
    this.name = name;
    this.#saved = saved;
    this.config = means;
  }

  get saved(): SavedSession {
    return this.#saved;
  }

  get token(): string {
    if (this.#saved.token === null) throw new StoreError(`"${this.name}" has no token yet.`);
    return this.#saved.token;
  }

  /** What stands for the session in a path: its id where known, and the token only until then. */
  get ref(): string {
    return this.#saved.sessionId ?? this.token;
  }

  /** Sends a request that changes something; refusals are thrown, conflicts among them. */
  async write(intent: WriteRequest, signal?: AbortSignal): Promise<WireAnswer> {
    const body = intent.body === undefined ? null : jsonText(intent.body);
    return this.#exclusively(signal, async () => {
      await this.reload();
      const left = this.#saved.pending;
      if (left !== null) {
        const settled = await this.#sendPending(left, signal);
        // The same call again, after one that got no answer, is that call and not a second one.
        if (isSameRequest(left, intent, body)) return requireSuccess(settled);
      }
      return requireSuccess(await this.#send(intent, body, signal));
    });
  }

  /**
   * Creates the session, in place of an ended one where that is given. Null where somebody else has
   * begun one under this name. `wasLeft`: an earlier process sent this create and got no answer.
   */
  async create(
    input: object,
    signal?: AbortSignal,
    ended: SavedSession | null = null,
  ): Promise<{ readonly answer: WireAnswer; readonly wasLeft: boolean } | null> {
    const intent = { operation: "create", method: "POST", path: CREATE_PATH, body: input };
    const body = jsonText(input);
    return this.#exclusively(signal, async () => {
      const earlier = await this.store.load(this.name);
      const isFree =
        earlier === null || (ended !== null && latestSessionId(earlier) === latestSessionId(ended));
      if (isFree) {
        const answer = requireSuccess(await this.#send(intent, body, signal), this.#saved.url);
        return { answer, wasLeft: false };
      }
      this.#saved = earlier;
      const { pending } = earlier;
      // The same create again, after one that got no answer, is that one.
      return pending === null || !isSameRequest(pending, intent, body)
        ? null
        : { answer: requireSuccess(await this.#sendPending(pending, signal)), wasLeft: true };
    });
  }

  /** Takes over a session that `ask` gives. Null where one is saved under this name already. */
  async adopt(ask: () => Promise<WireAnswer>, signal?: AbortSignal): Promise<WireAnswer | null> {
    return this.#exclusively(signal, async () => {
      const earlier = await this.store.load(this.name);
      if (earlier !== null) {
        this.#saved = earlier;
        return null;
      }
      const answer = requireSuccess(await ask());
      await this.#saveResult(answer, { isSuccession: false });
      return answer;
    });
  }

  /** Finishes what is pending, if anything is. */
  async settle(signal?: AbortSignal): Promise<SettledRequest | null> {
    return this.#exclusively(signal, async () => {
      await this.reload();
      const { pending } = this.#saved;
      if (pending === null) return null;
      const answer = await this.#sendPending(pending, signal);
      return { operation: pending.operation, isDone: answer.isOk, answer };
    });
  }

  /** A request that changes nothing: not saved, not in the queue, open to any token of the line. */
  async read(path: string, { body, ...options }: ReadOptions = {}): Promise<WireAnswer> {
    const sent = body === undefined ? {} : { body: jsonText(body), type: JSON_TYPE };
    return this.#saveSessionId(await this.#request(path, { ...options, ...sent }));
  }

  /** A file's bytes. Repeating is harmless until it is confirmed, so a lost answer is asked for again. */
  async sendFile(
    path: string,
    body: Uint8Array | Blob,
    type: string,
    signal?: AbortSignal,
  ): Promise<WireAnswer> {
    return this.#request(path, { method: "PUT", body, type, extraTimeMs: FILE_TIMEOUT_MS, signal });
  }

  /** A file's bytes, the other way. */
  async readBytes(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    const options = { wantsBytes: true, extraTimeMs: FILE_TIMEOUT_MS, signal };
    return (await this.#request(path, options)).body as Uint8Array;
  }

  /** Another process that shares the store may have resumed meanwhile: then once more with its token. */
  async #request(path: string, options: RequestOptions): Promise<WireAnswer> {
    const { method = "GET", body = null, type = null, signal, ...rest } = options;
    const ask = (token: string): Promise<WireAnswer> => {
      const url = `${this.#saved.url}/sessions/${this.ref}${path}`;
      const headers = headersFor(token, type);
      return sendWithRetry(this.config, { url, method, headers, body, ...rest }, signal);
    };
    const { token } = this;
    const answer = await ask(token);
    if (answer.isOk || (answer.body as Problem).code !== "token_superseded") {
      return requireSuccess(answer);
    }
    await this.reload();
    return requireSuccess(this.token === token ? answer : await ask(this.token));
  }

  /** The same once nobody writes any more: also what a write under way is about to save. */
  async catchUp(signal?: AbortSignal): Promise<void> {
    await this.#exclusively(signal, () => this.reload());
  }

  /** Takes over what another process, or tab, saved under this name. */
  async reload(): Promise<void> {
    this.#saved = (await this.store.load(this.name)) ?? this.#saved;
  }

  /** While nobody else, here or in another process, does anything to the line. */
  #exclusively<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    return this.store.exclusively(this.name, work, signal);
  }

  async forget(): Promise<void> {
    await this.store.remove(this.name);
  }

  /** From then on the token need not stand in a path, where it might be logged. */
  async #saveSessionId(answer: WireAnswer): Promise<WireAnswer> {
    const { session } = (answer.body ?? {}) as Partial<ResponseBody>;
    if (this.#saved.sessionId === null && session !== undefined) {
      const { id: sessionId, title, state } = session;
      await this.#exclusively(undefined, async () => {
        await this.reload();
        await this.#save({ sessionId, title, state });
      });
    }
    return answer;
  }

  /** While it is one's turn, with nothing pending: saved first, then sent. */
  async #send(
    intent: WriteRequest,
    body: string | null,
    signal: AbortSignal | undefined,
  ): Promise<WireAnswer> {
    const pending: PendingRequest = {
      operation: intent.operation,
      method: intent.method,
      path: intent.path === CREATE_PATH ? intent.path : `/sessions/${this.ref}${intent.path}`,
      body,
      key: intent.key ?? randomKey(),
      ifMatch: intent.ifMatch ?? null,
      token: this.#saved.token,
      isSuccession: intent.isSuccession === true,
    };
    await this.#save({ pending });
    return this.#sendPending(pending, signal);
  }

  async #sendPending(
    pending: PendingRequest,
    signal: AbortSignal | undefined,
  ): Promise<WireAnswer> {
    const { operation, method, path, body, key, ifMatch, token } = pending;
    const { key: ownerKey } = this.config;
    const mayBegin = ownerKey !== undefined && CREATING_OPERATIONS.has(operation);
    const request = {
      url: this.#saved.url + path,
      method,
      headers: {
        ...headersFor(token, body === null ? null : JSON_TYPE),
        "Idempotency-Key": key,
        ...(ifMatch === null ? {} : { "If-Match": `"${ifMatch}"` }),
        ...(mayBegin ? { "Baton-Key": ownerKey } : {}),
      },
      body,
    };
    const answer = await sendWithRetry(this.config, request, signal, true);
    // Still "later" after all attempts: an earlier one may have been done, so it stays pending.
    if (isRetryable(answer)) throw errorFromProblem(answer.body as Problem);
    await this.#saveResult(answer, pending);
    return answer;
  }

  async #saveResult(
    { isOk, body }: WireAnswer,
    { isSuccession }: Pick<PendingRequest, "isSuccession">,
  ): Promise<void> {
    if (!isOk || body === null) {
      await this.#save({ pending: null });
      // Nothing was begun, so there is nothing to remember.
      if (this.#saved.token === null) await this.forget();
      return;
    }
    const { session, resumeToken, child, childToken, prompt } = body as Partial<ResponseBody>;
    if (childToken !== undefined && child) {
      await this.#saveChild(child, childToken, isSuccession ? prompt : undefined);
    }
    await this.#save({
      pending: null,
      ...(isSuccession && child ? { successor: child.id } : {}),
      ...(resumeToken === undefined ? {} : { token: resumeToken }),
      ...(session === undefined
        ? {}
        : { sessionId: session.id, title: session.title, state: session.state }),
    });
  }

  /** Before the fork counts as answered, or a crash in between would lose the child's only token. */
  async #saveChild(
    { id, title, state }: SessionSummary,
    token: string,
    prompt: string | undefined,
  ): Promise<void> {
    const { url } = this.#saved;
    const saved = { ...emptySavedSession(url), sessionId: id, token, title, state };
    await this.store.save(id, prompt === undefined ? saved : { ...saved, prompt });
  }

  async #save(changes: Partial<SavedSession>): Promise<void> {
    const savedAt = new Date(this.config.clock.now()).toISOString();
    const saved = { ...this.#saved, ...changes, savedAt };
    await this.store.save(this.name, saved);
    this.#saved = saved;
  }
}
