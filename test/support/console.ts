/** A user of the console without JavaScript: signs in with a key, follows links, sends forms. */
import { sendFrom } from "./caller";
import { newKey, keyEntry, sha256Hex } from "./owners";
import { hiddenIn, Person, type PageResponse } from "./person";

export interface ConsoleUser {
  readonly person: Person;
  /** Sends a form of the console with its token. */
  post(path: string, form?: Readonly<Record<string, string>>): Promise<PageResponse>;
  formToken(): Promise<string>;
}

export type Settings = Readonly<Record<string, string>>;

/** A person on a server with these settings, with the cookies of an earlier sign-in if given. */
export const personAt = (settings: Settings, cookies?: ReadonlyMap<string, string>): Person => {
  const person = new Person(sendFrom({}, settings));
  for (const [name, value] of cookies ?? []) person.cookies.set(name, value);
  return person;
};

export async function signIn(settings: Settings, key: string): Promise<ConsoleUser> {
  const person = personAt(settings);
  const { html } = await person.go("GET", "/console");
  const form = { nonce: hiddenIn(html, "nonce"), to: "/console", key };
  const entered = await person.go("POST", "/console/sign-in", form);
  if (entered.status !== 200 || !entered.html.includes('id="sessions"')) {
    throw new Error(`signing in answered ${entered.status}: ${entered.html}`);
  }
  return consoleUserOf(person);
}

export function consoleUserOf(person: Person): ConsoleUser {
  const formToken = async (): Promise<string> =>
    hiddenIn((await person.go("GET", "/console")).html, "form");
  return {
    person,
    formToken,
    post: async (path, form = {}) => person.go("POST", path, { form: await formToken(), ...form }),
  };
}

/** An OWNERS setting with one owner and one key with these rights. */
export function ownerWith(rights: readonly string[], more: object = {}) {
  const key = newKey();
  const name = `owner-${crypto.randomUUID().slice(0, 8)}`;
  const entry = keyEntry(key, { rights, ...more });
  return { key, name, entry, settings: { OWNERS: JSON.stringify([{ name, keys: [entry] }]) } };
}

/** The setting that `npm start` passes to the server. */
export const entryFor = (code: string, key: string, expiresAt: Date) => ({
  CONSOLE_ENTRY: JSON.stringify({
    codeHash: sha256Hex(code),
    keyHash: sha256Hex(key),
    expiresAt: expiresAt.toISOString(),
  }),
});
