/**
 * Large content of a session, named by its SHA-256. Events name the hash; the bytes are elsewhere, and
 * the same bytes are kept once however often they are sent.
 */
import { invalid, tooLarge, type Failure } from "../failure";
import { LIMITS } from "../limits";

export interface StoredBlob {
  readonly sha256: string;
  readonly size: number;
  /** Where the bytes are. */
  readonly key: string;
}

export interface BlobTotals {
  readonly count: number;
  readonly bytes: number;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** How a hash is written in a path: capitals are the same hash. */
export const normalizeBlobName = (given: string): string => given.toLowerCase();

export const blobNameProblem = (sha256: string): Failure | null =>
  SHA256.test(sha256)
    ? null
    : invalid("the name of a blob must be the 64 hexadecimal digits of its SHA-256", "sha256");

export const BLOB_HASH_MISMATCH = "the bytes that arrived have another SHA-256; send them again";

/** Why a session that holds so much cannot take these bytes as well, or null. */
export function blobCapacityProblem(
  { count, bytes }: BlobTotals,
  size: number,
  isByOwner: boolean,
): Failure | null {
  const most = isByOwner ? LIMITS.blobs : LIMITS.blobsShare;
  if (count >= most) return tooLarge("the number of blobs", most, count);
  const mostBytes = isByOwner ? LIMITS.blobsBytes : LIMITS.blobsShareBytes;
  return bytes + size > mostBytes
    ? tooLarge("the total size of all blobs, in bytes", mostBytes, bytes)
    : null;
}
