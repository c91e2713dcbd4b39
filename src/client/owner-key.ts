/**
 * Finds the owner's key of a client: from the options, or from the environment. The key is never
 * saved or shown.
 */
const KEY_FORMAT = /^bkey_[A-Za-z0-9_-]{43}$/;

export function resolveOwnerKey({ key }: { readonly key?: string }): { readonly key?: string } {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  if (key === "") throw new TypeError("`key` is empty. Leave it out if there is no key.");
  const found = key ?? process?.env?.["BATON_KEY"];
  if (found === undefined || found === "") return {};
  if (!KEY_FORMAT.test(found)) {
    const source = key === undefined ? "BATON_KEY" : "`key`";
    // The value may be another secret, so the message does not contain it.
    throw new TypeError(
      `${source} is not an owner's key, which is bkey_ followed by 43 characters.`,
    );
  }
  return { key: found };
}
