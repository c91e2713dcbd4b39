/**
 * Texts of sessions as a directory keeps them. A database file keeps bytes of rows that were deleted,
 * and nothing can make it forget them; so titles, labels and names go in masked and words hashed,
 * under a secret of the directory. This is no encryption: the secret is in the same storage.
 */
import { createHash } from "node:crypto";
import { bytesToHex, encodeBase64url } from "../domain/base64url";

const BLOCK = 32;
const HASH_LENGTH = 16;
const WORD = /[\p{L}\p{N}]+/gu;

export class Masking {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** Its own inverse: the same for the same place gives the text back. */
  mask(place: string, bytes: Uint8Array): Uint8Array {
    const out = new Uint8Array(bytes.length);
    for (let at = 0; at < bytes.length; at += BLOCK) {
      const key = this.#digest(`${place} ${at}`);
      for (let n = at; n < Math.min(at + BLOCK, bytes.length); n += 1) {
        out[n] = (bytes[n] ?? 0) ^ (key[n - at] ?? 0);
      }
    }
    return out;
  }

  hash(kind: string, text: string): string {
    return encodeBase64url(this.#digest(`${kind}\0${text}`)).slice(0, HASH_LENGTH);
  }

  /** The words of a text, each as one word of letters and digits that an index can hold. */
  words(texts: readonly string[]): readonly string[] {
    const words = new Set(texts.flatMap((text) => text.toLowerCase().match(WORD) ?? []));
    return [...words].map((word) => hex(this.#digest(`word\0${word}`)));
  }

  #digest(text: string): Uint8Array {
    return new Uint8Array(createHash("sha256").update(this.#secret).update(text).digest());
  }
}

/** Ten bytes are enough to tell words apart. */
const hex = (bytes: Uint8Array): string => bytesToHex(bytes.slice(0, 10));
