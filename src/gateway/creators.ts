/** Who may begin sessions, where the deployment lists keys. Without a list everybody may. */
import { bytesToHex } from "../domain/base64url";
import type { Failure } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";

interface CreatorEntry {
  /** Two keys of one name are the same creator: so a key is replaced by another. */
  readonly name: string;
  /** SHA-256 of the key, in hex. */
  readonly keyHash: string;
}

const HASH = /^[0-9a-f]{64}$/i;
const encoder = new TextEncoder();

export const needsCreateKey = ({ CREATE_KEYS }: Pick<Env, "CREATE_KEYS">): boolean =>
  CREATE_KEYS !== undefined && CREATE_KEYS !== "";

/** The creator's name, or null where anybody may begin. A list that is none lets nobody begin. */
export async function admitCreator(
  env: Pick<Env, "CREATE_KEYS">,
  key: string | null,
): Promise<Result<string | null, Failure>> {
  if (!needsCreateKey(env)) return ok(null);
  const creators = creatorsIn(env.CREATE_KEYS ?? "");
  if (key === null || key === "") return refuse({ code: "credential_missing", what: "createKey" });
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(key));
  const given = encoder.encode(bytesToHex(new Uint8Array(digest)));
  // Every entry is looked at, each in constant time: the answer's time says nothing of the list.
  const names = creators.flatMap(({ name, keyHash }) =>
    crypto.subtle.timingSafeEqual(given, encoder.encode(keyHash.toLowerCase())) ? [name] : [],
  );
  const [name] = names;
  return name === undefined ? refuse({ code: "token_invalid", what: "createKey" }) : ok(name);
}

function creatorsIn(text: string): readonly CreatorEntry[] {
  const list = JSON.parse(text) as readonly CreatorEntry[];
  for (const { name, keyHash } of list) {
    if (typeof name !== "string" || name === "" || !HASH.test(keyHash)) {
      throw new Error("CREATE_KEYS must be a list of {name, keyHash}, with SHA-256 in hex");
    }
  }
  return list;
}
