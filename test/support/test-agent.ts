/** A participant that always uses its newest token, as an agent does. */
import type { Answer, CallOptions, Client } from "./client.ts";

export interface LoggedEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly state: string;
  readonly version: number;
  readonly actor: { readonly kind: string; readonly id: string };
  // oxlint-disable-next-line typescript/no-explicit-any -- payloads of every shape
  readonly payload: any;
}

export class TestAgent {
  readonly id: string;
  token: string;
  readonly #client: Client;

  constructor(client: Client, { id, token }: { readonly id: string; readonly token: string }) {
    this.#client = client;
    this.id = id;
    this.token = token;
  }

  static async create(client: Client, body: unknown = {}): Promise<TestAgent> {
    return new TestAgent(client, await client.create(body));
  }

  /** Returns any answer, also a refusal. Stores a new token. */
  async tryCall(
    method: string,
    path: string,
    body?: unknown,
    options: Omit<CallOptions, "token" | "body"> = {},
  ): Promise<Answer> {
    const sent = body === undefined ? options : { ...options, body };
    const answer = await this.#client.on(this, method, path, { token: this.token, ...sent });
    this.token = answer.body?.resumeToken ?? this.token;
    return answer;
  }

  /** Like `tryCall`, but throws unless the request succeeds. */
  async call(...request: Parameters<TestAgent["tryCall"]>): Promise<Answer> {
    const answer = await this.tryCall(...request);
    if (answer.status >= 300)
      throw new Error(`${request[1]} answered ${answer.status}: ${answer.text}`);
    return answer;
  }

  /** Hands off to another agent with these scopes. */
  async handOffTo(scopes: readonly string[]): Promise<TestAgent> {
    const { body } = await this.call("POST", "/handoffs", { to: "agent", scopes });
    return new TestAgent(this.#client, { id: this.id, token: body.participantToken });
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- looked into freely
  async session(): Promise<any> {
    return (await this.call("GET", "")).body.session;
  }

  async events(query = ""): Promise<readonly LoggedEvent[]> {
    return (await this.call("GET", `/audit?limit=1000${query}`)).body.events;
  }

  async types(): Promise<readonly string[]> {
    return (await this.events()).map(({ type }) => type);
  }

  async append(...types: readonly string[]): Promise<Answer> {
    return this.call("POST", "/events", { events: types.map((type) => ({ type })) });
  }
}
