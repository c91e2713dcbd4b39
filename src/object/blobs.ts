/** Decides whether a blob may be uploaded, records that it is stored, and who may read it. */
import {
  blobNameProblem,
  BLOB_HASH_MISMATCH,
  blobCapacityProblem,
  type StoredBlob,
} from "../domain/files/blob";
import { invalid } from "../domain/failure";
import { isOwner } from "../domain/participants/rights";
import type { SessionContext } from "./session-context";
import { ok, refuse } from "../domain/result";
import { admittedHandler } from "./admitted-handler";
import type { AuthenticatedRequest, Reply } from "./messages";

/** A blob that a client is about to send. */
interface PrepareBlobRequest extends AuthenticatedRequest {
  readonly sha256: string;
  readonly length: number;
}

/** A blob that has arrived complete. */
interface SaveBlobRequest extends AuthenticatedRequest {
  readonly sha256: string;
  readonly size: number;
  readonly key: string;
  /** The hash of the bytes that arrived. */
  readonly arrived: string;
}

/** An invalid name is reported to callers who may read. */
const withNameProblem = <R extends BlobRequest>(request: R): R => {
  const problem = request.problem ?? blobNameProblem(request.sha256);
  return problem === null ? request : { ...request, problem };
};

/**
 * Called before the bytes are sent, so that a blob that would be refused is not uploaded first.
 * Returns true if the session already has it.
 */
export const prepareBlob = (
  context: SessionContext,
  request: PrepareBlobRequest,
  now: number,
): Reply<boolean> => admitBlob(context, withNameProblem(request), now);

const admitBlob = admittedHandler(
  "putBlob",
  ({ participant }, context, { sha256, length }: PrepareBlobRequest) => {
    if (context.blobs.find(sha256) !== null) return ok(true);
    const full = blobCapacityProblem(context.blobs.totals(), length, isOwner(participant));
    if (full !== null) return refuse(full);
    context.store.withCacheReset(() => context.blobs.prepare());
    return ok(false);
  },
);

/** Called after the bytes were sent: stores where they are. If it refuses, the bytes must be deleted. */
export const saveBlob = admittedHandler(
  "putBlob",
  ({ participant }, context, blob: SaveBlobRequest) => {
    const { sha256, size, key, arrived } = blob;
    if (arrived !== sha256) return refuse(invalid(BLOB_HASH_MISMATCH, "sha256"));
    // Two callers sent the same bytes at once: the first upload is kept.
    const earlier = context.blobs.find(sha256);
    if (earlier !== null) return ok(earlier);
    const full = blobCapacityProblem(context.blobs.totals(), size, isOwner(participant));
    if (full !== null) return refuse(full);
    const stored = { sha256, size, key };
    context.store.withCacheReset(() => context.blobs.insert(stored));
    return ok(stored);
  },
);

type BlobRequest = Omit<PrepareBlobRequest, "length">;

export const locateBlob = (
  context: SessionContext,
  request: BlobRequest,
  now: number,
): Reply<StoredBlob> => findBlob(context, withNameProblem(request), now);

const findBlob = admittedHandler("getBlob", (_, context, { sha256 }: BlobRequest) => {
  const stored = context.blobs.find(sha256);
  return stored === null ? refuse({ code: "not_found", what: "blob" }) : ok(stored);
});

/** Blobs in one response; an export reads page by page. */
const PAGE_SIZE = 1_000;

export const listBlobs = admittedHandler(
  "getBlob",
  (_, context, { after }: AuthenticatedRequest & { after: string }) => {
    const blobs = context.blobs.after(after, PAGE_SIZE);
    return ok({ blobs, more: blobs.length === PAGE_SIZE });
  },
);
