/**
 * A participant's line of tokens, as one client holds it. Each write uses the newest token, is
 * saved with that token and a random key before it is sent, and then the next token is saved.
 * Writes are strictly sequential, also between processes that share a store. After a crash, the
 * next process first finishes the pending request.
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

/** A resume can create a session too, if it was asked to. */
const CREATING_OPERATIONS: ReadonlySet<string> = new Set(["create", "resume"]);

/** A large file on a slow connection takes time. */
const FILE_TIMEOUT_MS = 10 * 60 * 1000;

/** The id of the session that the saved name refers to. */
const latestSessionId = ({ successor, sessionId }: SavedSession): string | null =>
  successor ?? sessionId;

type RequestOptions = Partial<Omit<WireRequest, "url" | "headers">> & {
  /** The media type of the body. */
  readonly type?: string;
  /** An Idempotency-Key. */
  readonly key?: string;
  /** The lease that the request names; by default that of the line. */
  readonly lease?: string;
  readonly signal?: AbortSignal | undefined;
};

/** A lease that every request of a line names. */
interface LeaseStamp {
  /** Its name and number, as in the header. */
  readonly header: string;
  /** Called when a request was refused because the lease is lost. */
  readonly onLost: () => void;
}

export class TokenLine {
  readonly name: string;
  readonly store: TokenStore;
  readonly config: ClientConfig;
  readonly lease: LeaseStamp | null;
  #saved: SavedSession;

  constructor(
    store: TokenStore,
    name: string,
    saved: SavedSession,
    config: ClientConfig,
    lease: LeaseStamp | null = null,
  ) {
    this.store = store;
    this.lease = lease;
    this.name = name;
    this.#saved = saved;
    this.config = config;
  }

  /** The same line of tokens, for requests that are refused once the lease is lost. */
  underLease(lease: LeaseStamp): TokenLine {
    return new TokenLine(this.store, this.name, this.#saved, this.config, lease);
  }

  get saved(): SavedSession {
    return this.#saved;
  }

  get token(): string {
    if (this.#saved.token === null) throw new StoreError(`"${this.name}" has no token yet.`);
    return this.#saved.token;
  }

  /** The session in a path: its id, or the token while the id is not known. */
  get ref(): string {
    return this.#saved.sessionId ?? this.token;
  }

  /** Sends a request that changes something. Refusals are thrown, including conflicts. */
  async write(request: WriteRequest, signal?: AbortSignal): Promise<WireAnswer> {
    const body = request.body === undefined ? null : jsonText(request.body);
    return this.#exclusively(signal, async () => {
      await this.reload();
      const pending = this.#saved.pending;
      if (pending !== null) {
        const settled = await this.#sendPending(pending, signal);
        // Repeating a call that got no response is the same call, not a second one.
        if (isSameRequest(pending, request, body, this.lease?.header)) {
          return requireSuccess(this.#noticeLoss(settled));
        }
      }
      return requireSuccess(this.#noticeLoss(await this.#send(request, body, signal)));
    });
  }

  /**
   * Creates the session, in place of an ended one if `ended` is given. Null if another process has
   * created one under this name. `wasUnanswered` is true if an earlier process sent this create and
   * got no response.
   */
  async create(
    input: object,
    signal?: AbortSignal,
    ended: SavedSession | null = null,
  ): Promise<{ readonly answer: WireAnswer; readonly wasUnanswered: boolean } | null> {
    const request = { operation: "create", method: "POST", path: CREATE_PATH, body: input };
    const body = jsonText(input);
    return this.#exclusively(signal, async () => {
      const earlier = await this.store.load(this.name);
      const canCreate =
        earlier === null || (ended !== null && latestSessionId(earlier) === latestSessionId(ended));
      if (canCreate) {
        const answer = requireSuccess(await this.#send(request, body, signal), this.#saved.url);
        return { answer, wasUnanswered: false };
      }
      this.#saved = earlier;
      const { pending } = earlier;
      // Repeating a create that got no response is the same create.
      return pending === null || !isSameRequest(pending, request, body)
        ? null
        : { answer: requireSuccess(await this.#sendPending(pending, signal)), wasUnanswered: true };
    });
  }

  /** Saves the session that `request` returns. Null if one is already saved under this name. */
  async adopt(
    request: () => Promise<WireAnswer>,
    signal?: AbortSignal,
  ): Promise<WireAnswer | null> {
    return this.#exclusively(signal, async () => {
      const earlier = await this.store.load(this.name);
      if (earlier !== null) {
        this.#saved = earlier;
        return null;
      }
      const answer = requireSuccess(await request());
      await this.#saveResult(answer, { isSuccession: false });
      return answer;
    });
  }

  /** Finishes the pending request, if there is one. */
  async settle(signal?: AbortSignal): Promise<SettledRequest | null> {
    return this.#exclusively(signal, async () => {
      await this.reload();
      const { pending } = this.#saved;
      if (pending === null) return null;
      const answer = await this.#sendPending(pending, signal);
      return { operation: pending.operation, isDone: answer.isOk, answer };
    });
  }

  /**
   * A request that changes nothing: it is not saved, does not wait for writes, and works with any
   * token of the line.
   */
  async read(path: string, { body, ...options }: ReadOptions = {}): Promise<WireAnswer> {
    const sent = body === undefined ? {} : { body: jsonText(body), type: JSON_TYPE };
    return this.#saveSessionId(await this.#request(path, { ...options, ...sent }));
  }

  /**
   * Uploads a file. Repeating is harmless until it is confirmed, so it is retried after a lost
   * response.
   */
  async sendFile(
    path: string,
    body: Uint8Array | Blob,
    type: string,
    signal?: AbortSignal,
  ): Promise<WireAnswer> {
    return this.#request(path, { method: "PUT", body, type, extraTimeMs: FILE_TIMEOUT_MS, signal });
  }

  /** Downloads a file. */
  async readBytes(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    const options = { wantsBytes: true, extraTimeMs: FILE_TIMEOUT_MS, signal };
    return (await this.#request(path, options)).body as Uint8Array;
  }

  /**
   * If another process that shares the store has resumed meanwhile, retries once with its token.
   */
  async #request(path: string, options: RequestOptions): Promise<WireAnswer> {
    const { method = "GET", body = null, type = null, signal, key, ...rest } = options;
    const { lease = this.lease?.header, ...sent } = rest;
    const send = (token: string): Promise<WireAnswer> => {
      const url = `${this.#saved.url}/sessions/${this.ref}${path}`;
      const headers = {
        ...headersFor(token, type),
        ...(key === undefined ? {} : { "Idempotency-Key": key }),
        ...(lease === undefined ? {} : { "Baton-Lease": lease }),
      };
      return sendWithRetry(this.config, { url, method, headers, body, ...sent }, signal);
    };
    const { token } = this;
    const answer = await send(token);
    if (answer.isOk || (answer.body as Problem).code !== "token_superseded") {
      return requireSuccess(this.#noticeLoss(answer));
    }
    await this.reload();
    return requireSuccess(this.token === token ? answer : await send(this.token));
  }

  /** Tells the work under a lease that others may do it now. */
  #noticeLoss(answer: WireAnswer): WireAnswer {
    if (!answer.isOk && (answer.body as Problem).code === "lease_lost") this.lease?.onLost();
    return answer;
  }

  /** Reloads after all writes, so that it includes what a running write is about to save. */
  async catchUp(signal?: AbortSignal): Promise<void> {
    await this.#exclusively(signal, () => this.reload());
  }

  /** Loads what another process or tab saved under this name. */
  async reload(): Promise<void> {
    this.#saved = (await this.store.load(this.name)) ?? this.#saved;
  }

  /** Runs while no other call or process uses the line. */
  #exclusively<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    return this.store.exclusively(this.name, work, signal);
  }

  async forget(): Promise<void> {
    await this.store.remove(this.name);
  }

  /** From then on paths contain the id instead of the token, because paths may be logged. */
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

  /** Called under the lock with nothing pending: saves the request, then sends it. */
  async #send(
    request: WriteRequest,
    body: string | null,
    signal: AbortSignal | undefined,
  ): Promise<WireAnswer> {
    const pending: PendingRequest = {
      operation: request.operation,
      method: request.method,
      path: request.path === CREATE_PATH ? request.path : `/sessions/${this.ref}${request.path}`,
      body,
      key: request.key ?? randomKey(),
      ifMatch: request.ifMatch ?? null,
      token: this.#saved.token,
      isSuccession: request.isSuccession === true,
      ...(this.lease === null ? {} : { lease: this.lease.header }),
    };
    await this.#save({ pending });
    return this.#sendPending(pending, signal);
  }

  async #sendPending(
    pending: PendingRequest,
    signal: AbortSignal | undefined,
  ): Promise<WireAnswer> {
    const { operation, method, path, body, key, ifMatch, token, lease } = pending;
    const { key: ownerKey } = this.config;
    const sendsOwnerKey = ownerKey !== undefined && CREATING_OPERATIONS.has(operation);
    const request = {
      url: this.#saved.url + path,
      method,
      headers: {
        ...headersFor(token, body === null ? null : JSON_TYPE),
        "Idempotency-Key": key,
        ...(ifMatch === null ? {} : { "If-Match": `"${ifMatch}"` }),
        ...(sendsOwnerKey ? { "Baton-Key": ownerKey } : {}),
        ...(lease === undefined ? {} : { "Baton-Lease": lease }),
      },
      body,
    };
    const answer = await sendWithRetry(this.config, request, signal, true);
    // Still retryable after all attempts: an earlier attempt may have been done, so it stays
    // pending.
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
      // No session was created, so there is nothing to keep.
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

  /**
   * Saved before the fork is marked as done; otherwise a crash in between would lose the child's
   * only token.
   */
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
