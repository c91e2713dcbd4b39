/** A bare HTTP client for black-box tests: it knows JSON and headers, and none of the product's code. */
export type Send = (request: Request) => Promise<Response>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
  readonly text: string;
}

export interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly key?: string;
  readonly ifMatch?: number | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CreatedSession {
  readonly id: string;
  readonly token: string;
  readonly answer: Answer;
}

export class Client {
  readonly #send: Send;
  readonly #base: string;

  constructor(send: Send, base = "http://baton.test") {
    this.#send = send;
    this.#base = base;
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { token, body, key, ifMatch, headers } = options;
    const response = await this.#send(
      new Request(this.#base + path, {
        method,
        headers: {
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...(key === undefined ? {} : { "Idempotency-Key": key }),
          ...(ifMatch === undefined ? {} : { "If-Match": `"${ifMatch}"` }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const type = response.headers.get("Content-Type") ?? "";
    const isOneDocument = text !== "" && type.endsWith("json") && !type.includes("ndjson");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isOneDocument ? JSON.parse(text) : undefined,
    };
  }

  async create(
    body: unknown = {},
    options: Omit<CallOptions, "body"> = {},
  ): Promise<CreatedSession> {
    const answer = await this.call("POST", "/sessions", { ...options, body });
    if (answer.status !== 201) throw new Error(`create answered ${answer.status}: ${answer.text}`);
    return { id: answer.body.session.id, token: answer.body.resumeToken, answer };
  }

  /** A request on a session, with its token as bearer. `path` is what follows the session's id. */
  on(
    session: Pick<CreatedSession, "id">,
    method: string,
    path: string,
    options: CallOptions,
  ): Promise<Answer> {
    return this.call(method, `/sessions/${session.id}${path}`, options);
  }
}

/** A random Idempotency-Key, long enough for creating a session. */
export const randomKey = (): string => crypto.randomUUID() + crypto.randomUUID();
