/**
 * A participant's line of tokens, as one client holds it: each write takes the newest token, is saved
 * with it and a random key before it is sent, and is followed by saving the next. Strictly one after
 * another, also between processes that share a store. Whoever comes after a crash first finishes
 * what is pending.
 */
import { refusalOf, StoreError, type Problem } from "./errors";
import { CREATE_PATH, isSame, randomKey, type Intent } from "./intent";
import { jsonText } from "./json-text";
import { unsaved, type PendingRequest, type SavedSession, type TokenStore } from "./token-store";
import { accepted, headersFor, JSON_TYPE } from "./request-parts";
import type { Carried, ReadOptions, Shown } from "./request-parts";
import type { Settlement } from "./settled";
import { exchange, isLater, type Means, type WireAnswer, type WireRequest } from "./transport";

/** A resume may begin a session too, where it is told to. */
const BEGINNINGS: ReadonlySet<string> = new Set(["create", "resume"]);

/** A large file on a slow line takes its time. */
const FILE_TIME_MS = 10 * 60 * 1000;

/** The session that is found by what is saved under a name. */
const leadsTo = ({ successor, sessionId }: SavedSession): string | null => successor ?? sessionId;

type Asked = Partial<Omit<WireRequest, "url" | "headers">> & {
  /** The media type of the body. */
  readonly type?: string;
  readonly signal?: AbortSignal | undefined;
};

export class Line {
  readonly name: string;
  readonly store: TokenStore;
  readonly means: Means;
  #saved: SavedSession;

  constructor(store: TokenStore, name: string, saved: SavedSession, means: Means) {
    this.store = store;
    this.name = name;
    this.#saved = saved;
    this.means = means;
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
  async write(intent: Intent, signal?: AbortSignal): Promise<WireAnswer> {
    const body = intent.body === undefined ? null : jsonText(intent.body);
    return this.#alone(signal, async () => {
      await this.reload();
      const left = this.#saved.pending;
      if (left !== null) {
        const settled = await this.#deliver(left, signal);
        // The same call again, after one that got no answer, is that call and not a second one.
        if (isSame(left, intent, body)) return accepted(settled);
      }
      return accepted(await this.#send(intent, body, signal));
    });
  }

  /**
   * Creates the session, in place of an ended one where that is given. Null where somebody else has
   * begun one under this name. `wasLeft`: an earlier process sent this create and got no answer.
   */
  async begin(
    input: object,
    signal?: AbortSignal,
    ended: SavedSession | null = null,
  ): Promise<{ readonly answer: WireAnswer; readonly wasLeft: boolean } | null> {
    const intent = { operation: "create", method: "POST", path: CREATE_PATH, body: input };
    const body = jsonText(input);
    return this.#alone(signal, async () => {
      const earlier = await this.store.load(this.name);
      const isFree = earlier === null || (ended !== null && leadsTo(earlier) === leadsTo(ended));
      if (isFree) {
        const answer = accepted(await this.#send(intent, body, signal), this.#saved.url);
        return { answer, wasLeft: false };
      }
      this.#saved = earlier;
      const { pending } = earlier;
      // The same create again, after one that got no answer, is that one.
      return pending === null || !isSame(pending, intent, body)
        ? null
        : { answer: accepted(await this.#deliver(pending, signal)), wasLeft: true };
    });
  }

  /** Takes over a session that `ask` gives. Null where one is saved under this name already. */
  async adopt(ask: () => Promise<WireAnswer>, signal?: AbortSignal): Promise<WireAnswer | null> {
    return this.#alone(signal, async () => {
      const earlier = await this.store.load(this.name);
      if (earlier !== null) {
        this.#saved = earlier;
        return null;
      }
      const answer = accepted(await ask());
      await this.#conclude(answer, { isSuccession: false });
      return answer;
    });
  }

  /** Finishes what is pending, if anything is. */
  async settle(signal?: AbortSignal): Promise<Settlement | null> {
    return this.#alone(signal, async () => {
      await this.reload();
      const { pending } = this.#saved;
      if (pending === null) return null;
      const answer = await this.#deliver(pending, signal);
      return { operation: pending.operation, isDone: answer.isOk, answer };
    });
  }

  /** A request that changes nothing: not saved, not in the queue, open to any token of the line. */
  async read(path: string, { body, ...options }: ReadOptions = {}): Promise<WireAnswer> {
    const sent = body === undefined ? {} : { body: jsonText(body), type: JSON_TYPE };
    return this.#learnId(await this.#ask(path, { ...options, ...sent }));
  }

  /** A file's bytes. Repeating is harmless until it is confirmed, so a lost answer is asked for again. */
  async sendFile(
    path: string,
    body: Uint8Array | Blob,
    type: string,
    signal?: AbortSignal,
  ): Promise<WireAnswer> {
    return this.#ask(path, { method: "PUT", body, type, extraTimeMs: FILE_TIME_MS, signal });
  }

  /** A file's bytes, the other way. */
  async readBytes(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    const options = { wantsBytes: true, extraTimeMs: FILE_TIME_MS, signal };
    return (await this.#ask(path, options)).body as Uint8Array;
  }

  /** Another process that shares the store may have resumed meanwhile: then once more with its token. */
  async #ask(path: string, options: Asked): Promise<WireAnswer> {
    const { method = "GET", body = null, type = null, signal, ...rest } = options;
    const ask = (token: string): Promise<WireAnswer> => {
      const url = `${this.#saved.url}/sessions/${this.ref}${path}`;
      const headers = headersFor(token, type);
      return exchange(this.means, { url, method, headers, body, ...rest }, signal);
    };
    const { token } = this;
    const answer = await ask(token);
    if (answer.isOk || (answer.body as Problem).code !== "token_superseded") {
      return accepted(answer);
    }
    await this.reload();
    return accepted(this.token === token ? answer : await ask(this.token));
  }

  /** The same once nobody writes any more: also what a write under way is about to save. */
  async catchUp(signal?: AbortSignal): Promise<void> {
    await this.#alone(signal, () => this.reload());
  }

  /** Takes over what another process, or tab, saved under this name. */
  async reload(): Promise<void> {
    this.#saved = (await this.store.load(this.name)) ?? this.#saved;
  }

  /** While nobody else, here or in another process, does anything to the line. */
  #alone<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    return this.store.exclusively(this.name, work, signal);
  }

  async forget(): Promise<void> {
    await this.store.remove(this.name);
  }

  /** From then on the token need not stand in a path, where it might be logged. */
  async #learnId(answer: WireAnswer): Promise<WireAnswer> {
    const { session } = (answer.body ?? {}) as Partial<Carried>;
    if (this.#saved.sessionId === null && session !== undefined) {
      const { id: sessionId, title, state } = session;
      await this.#alone(undefined, async () => {
        await this.reload();
        await this.#save({ sessionId, title, state });
      });
    }
    return answer;
  }

  /** While it is one's turn, with nothing pending: saved first, then sent. */
  async #send(
    intent: Intent,
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
    return this.#deliver(pending, signal);
  }

  async #deliver(pending: PendingRequest, signal: AbortSignal | undefined): Promise<WireAnswer> {
    const { operation, method, path, body, key, ifMatch, token } = pending;
    const { key: ownerKey } = this.means;
    const mayBegin = ownerKey !== undefined && BEGINNINGS.has(operation);
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
    const answer = await exchange(this.means, request, signal, true);
    // Still "later" after all attempts: an earlier one may have been done, so it stays pending.
    if (isLater(answer)) throw refusalOf(answer.body as Problem);
    await this.#conclude(answer, pending);
    return answer;
  }

  async #conclude(
    { isOk, body }: WireAnswer,
    { isSuccession }: Pick<PendingRequest, "isSuccession">,
  ): Promise<void> {
    if (!isOk || body === null) {
      await this.#save({ pending: null });
      // Nothing was begun, so there is nothing to remember.
      if (this.#saved.token === null) await this.forget();
      return;
    }
    const { session, resumeToken, child, childToken, prompt } = body as Partial<Carried>;
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
    { id, title, state }: Shown,
    token: string,
    prompt: string | undefined,
  ): Promise<void> {
    const { url } = this.#saved;
    const saved = { ...unsaved(url), sessionId: id, token, title, state };
    await this.store.save(id, prompt === undefined ? saved : { ...saved, prompt });
  }

  async #save(changes: Partial<SavedSession>): Promise<void> {
    const savedAt = new Date(this.means.clock.now()).toISOString();
    const saved = { ...this.#saved, ...changes, savedAt };
    await this.store.save(this.name, saved);
    this.#saved = saved;
  }
}
