/** How a framework's own ids become names of saved sessions: readable where they fit, hashed where not. */

/** File systems take 255 bytes of a name, and the store encodes it. */
const MAX_LENGTH = 150;

export async function sessionNameFor(
  kind: string,
  namespace = "default",
  ...ids: readonly string[]
): Promise<string> {
  // Encoded one by one, so that no id can run into the next.
  const name = [kind, namespace, ...ids].map(encodeURIComponent).join("/");
  return encodeURIComponent(name).length <= MAX_LENGTH ? name : `${kind}/${await hashOf(name)}`;
}

/** The first 128 bits of the SHA-256 of a text, as base64url: by which the same text is known again. */
export async function hashOf(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...hash.slice(0, 16)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
