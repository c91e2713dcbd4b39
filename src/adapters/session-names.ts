/**
 * Builds names of saved sessions from a framework's ids: readable if they are short enough,
 * otherwise hashed.
 */

/** File systems allow 255 bytes per name, and the store encodes it. */
const MAX_LENGTH = 150;

export async function sessionNameFor(
  kind: string,
  namespace = "default",
  ...ids: readonly string[]
): Promise<string> {
  // Encoded separately, so that ids cannot run into each other.
  const name = [kind, namespace, ...ids].map(encodeURIComponent).join("/");
  return encodeURIComponent(name).length <= MAX_LENGTH ? name : `${kind}/${await hashOf(name)}`;
}

/** The first 128 bits of the SHA-256 of a text, as base64url. */
export async function hashOf(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...hash.slice(0, 16)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
