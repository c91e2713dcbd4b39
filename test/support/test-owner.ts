/** An owner with a key on a Worker that lists it, and its requests. */
import { callerFrom } from "./caller";
import type { Answer, CreatedSession, CallOptions, Client } from "./client";
import { newKey, ownersText } from "./owners";
import { bindIn } from "./worker";

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
type Json = any;

export interface TestOwner {
  readonly name: string;
  readonly key: string;
  readonly client: Client;
  readonly settings: { readonly OWNERS: string };
  create(body?: object): Promise<CreatedSession & { readonly body: Json }>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  list(query?: string): Promise<Json>;
  /** Needs the directory to be up to date. */
  row(id: string): Promise<Json>;
}

let ownerCount = 0;

/** Each owner has a separate directory, so that tests do not see each other's sessions. */
export function createOwner(...others: readonly string[]): TestOwner {
  ownerCount += 1;
  const name = `owner-${ownerCount}-${crypto.randomUUID().slice(0, 8)}`;
  const key = newKey();
  const settings = { OWNERS: ownersText({ [name]: [key, ...others] }) };
  const client = callerFrom(null, settings, { "Baton-Key": key });
  const call = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
    client.call(method, path, options);
  const list = async (query = ""): Promise<Json> => {
    const answer = await call("GET", `/sessions${query}`);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body;
  };
  return {
    name,
    key,
    client,
    settings,
    call,
    list,
    async create(body = {}) {
      const answer = await call("POST", "/sessions", { body });
      if (answer.status !== 201) throw new Error(answer.text);
      return {
        id: answer.body.session.id,
        token: answer.body.resumeToken,
        body: answer.body,
      } as never;
    },
    async row(id) {
      const { sessions } = await list("?limit=200");
      return sessions.find((one: Json) => one.id === id);
    },
  };
}

/** The object reads the setting itself, so it must get the setting of the test's Worker. */
export const bindOwners = (session: { readonly id: string }, OWNERS: string): Promise<unknown> =>
  bindIn(session, { OWNERS });
