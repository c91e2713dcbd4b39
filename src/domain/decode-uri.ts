/** Decodes a part of a URI. Returns null if it is malformed, where decodeURIComponent would throw. */
export function tryDecodeUri(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
