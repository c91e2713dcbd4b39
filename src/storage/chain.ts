/**
 * The chain over a session's log: chain(n) = SHA-256(chain(n-1) ‖ SHA-256(body n)), where chain(0)
 * is the session's id in UTF-8 and body n the commit's text as an export shows it. Each row stores
 * both hashes, so that every changed, moved, dropped or added commit is detected by all later ones.
 */
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { participantId } from "../domain/ids";

export const HASH_BYTES = 32;

/** The hashed parts of a commit. */
interface ChainedCommit {
  readonly first: number;
  readonly last: number;
  readonly participant: number | null;
  /** One line of JSON per event. */
  readonly lines: string;
}

interface Link {
  readonly bodyHash: Uint8Array;
  readonly chain: Uint8Array;
}

export const chainStart = (sessionId: string): Uint8Array => Buffer.from(sessionId, "utf8");

/**
 * The commit as an export shows it, and as it is hashed. An event's line has no line break inside.
 */
export function bodyOf(sessionId: string, commit: ChainedCommit): string {
  const { first, last, participant, lines } = commit;
  const by = participant === null ? "null" : `"${participantId(participant)}"`;
  return `{"sessionId":"${sessionId}","first":${first},"last":${last},"participant":${by},"events":[${lines.replaceAll("\n", ",")}]}`;
}

export function linkTo(chain: Uint8Array, sessionId: string, commit: ChainedCommit): Link {
  const bodyHash = hashText(bodyOf(sessionId, commit));
  return { bodyHash, chain: sha256.create().update(chain).update(bodyHash).digest() };
}

/** The platform's hash is faster per byte, and slower to start. */
const SHORT_BYTES = 2_048;
const encoder = new TextEncoder();

function hashText(text: string): Uint8Array {
  // The platform's hash accepts a string too, but encodes it in JavaScript.
  const bytes = encoder.encode(text);
  return bytes.length > SHORT_BYTES ? hash("sha256", bytes, "buffer") : sha256(bytes);
}
