/** A part of an address as text. Null where somebody wrote what is no such part: decoding would throw. */
export function tryDecodeUri(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
