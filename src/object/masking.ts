/**
 * How objects mask the texts of sessions that they store. A database file keeps bytes of deleted
 * rows, and nothing can erase them. So titles, labels and names are stored masked and words hashed,
 * under a secret of the object. This is not encryption: the secret is in the same storage.
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

  /** Its own inverse: masking twice with the same label returns the bytes. */
  mask(label: string, bytes: Uint8Array): Uint8Array {
    const out = new Uint8Array(bytes.length);
    for (let at = 0; at < bytes.length; at += BLOCK) {
      const key = this.#digest(`${label} ${at}`);
      for (let n = at; n < Math.min(at + BLOCK, bytes.length); n += 1) {
        out[n] = (bytes[n] ?? 0) ^ (key[n - at] ?? 0);
      }
    }
    return out;
  }

  hash(kind: string, text: string): string {
    return encodeBase64url(this.#digest(`${kind}\0${text}`)).slice(0, HASH_LENGTH);
  }

  /** The hashed words of some texts, each made of letters and digits that an index can hold. */
  words(texts: readonly string[]): readonly string[] {
    const words = new Set(texts.flatMap((text) => text.toLowerCase().match(WORD) ?? []));
    return [...words].map((word) => hex(this.#digest(`word\0${word}`)));
  }

  #digest(text: string): Uint8Array {
    return new Uint8Array(createHash("sha256").update(this.#secret).update(text).digest());
  }
}

/** Ten bytes are enough to distinguish words. */
const hex = (bytes: Uint8Array): string => bytesToHex(bytes.slice(0, 10));
