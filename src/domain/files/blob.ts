/**
 * Large content of a session, named by its SHA-256. Events contain the hash. The bytes are stored
 * outside the session, and identical bytes are stored once.
 */
import { invalid, tooLarge, type Failure } from "../failure";
import { LIMITS } from "../limits";

export interface StoredBlob {
  readonly sha256: string;
  readonly size: number;
  /** The storage key of the bytes. */
  readonly key: string;
}

export interface BlobTotals {
  readonly count: number;
  readonly bytes: number;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** The hash as it is written in paths. Upper case means the same hash. */
export const normalizeBlobName = (name: string): string => name.toLowerCase();

export const blobNameProblem = (sha256: string): Failure | null =>
  SHA256.test(sha256)
    ? null
    : invalid("the name of a blob must be the 64 hexadecimal digits of its SHA-256", "sha256");

export const BLOB_HASH_MISMATCH = "the bytes that arrived have another SHA-256; send them again";

/** Why the session cannot store these bytes in addition to what it has, or null. */
export function blobCapacityProblem(
  { count, bytes }: BlobTotals,
  size: number,
  isByOwner: boolean,
): Failure | null {
  const maxCount = isByOwner ? LIMITS.blobs : LIMITS.blobsShare;
  if (count >= maxCount) return tooLarge("the number of blobs", maxCount, count);
  const maxBytes = isByOwner ? LIMITS.blobsBytes : LIMITS.blobsShareBytes;
  return bytes + size > maxBytes
    ? tooLarge("the total size of all blobs, in bytes", maxBytes, bytes)
    : null;
}
