/**
 * Decides whether a file's bytes may be uploaded, records that they arrived, and who may read them.
 */
import { invalid, tooLarge, type Failure } from "../domain/failure";
import { findUpload, viewUpload, UPLOAD_HASH_MISMATCH, type Upload } from "../domain/files/upload";
import { canSeeField, canWriteField } from "../domain/participants/narrowing";
import type { PurgeMark } from "./purge-mark";
import type { SessionContext } from "./session-context";
import { ok, refuse, type Result } from "../domain/result";
import { admittedHandler } from "./admitted-handler";
import type { Viewer } from "./gate";
import type { AuthenticatedRequest, NumberedRequest } from "./messages";

/** A file that a client is about to send. */
interface UploadOffer extends AuthenticatedRequest {
  readonly upload: number;
  readonly length: number;
  readonly type: string | null;
}

/** A file that has arrived complete. */
interface SaveUploadRequest extends AuthenticatedRequest {
  readonly upload: number;
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
}

/** Called before the bytes are sent, so that a file that would be refused is not uploaded first. */
export const offerUpload = admittedHandler("putUpload", (viewer, context, offer: UploadOffer) => {
  const found = findPending(viewer, context, offer.upload);
  const problem = found.ok ? offerProblem(found.value, offer) : null;
  return problem === null ? found : refuse(problem);
});

function offerProblem({ size, type }: Upload, offer: UploadOffer): Failure | null {
  if (offer.length > size) return tooLarge("this file, in bytes", size);
  if (offer.length < size) return invalid(`the file was announced with ${size} bytes`);
  return offer.type !== null && essence(offer.type) !== essence(type)
    ? { code: "unsupported_media_type", wanted: `files of type ${type}, as announced,` }
    : null;
}

const essence = (type: string): string => type.split(";")[0]?.trim().toLowerCase() ?? "";

/** Called after the bytes were sent: stores where they are. If it refuses, the bytes must be deleted. */
export const saveUpload = admittedHandler(
  "putUpload",
  (viewer, context, file: SaveUploadRequest) => {
    const found = findPending(viewer, context, file.upload);
    if (!found.ok) return found;
    const upload = found.value;
    const { key, size, sha256 } = file;
    if (upload.sha256 !== null && upload.sha256 !== sha256) {
      return refuse(invalid(UPLOAD_HASH_MISMATCH, "sha256"));
    }
    context.store.withCacheReset(() =>
      context.uploads.save({ ...upload, stored: { key, size, sha256 } }),
    );
    return ok(upload.stored?.key ?? null);
  },
);

/** A file that is announced, for a field that the caller may write. */
function findPending(viewer: Viewer, context: SessionContext, number: number): Result<Upload> {
  const found = findUpload(number, { uploads: () => context.uploads.list() });
  if (found.ok && !canWriteField(viewer.narrowing(), found.value.field)) return refuse(NO_FILE);
  return !found.ok || found.value.status === "pending"
    ? found
    : refuse(invalid("this file is confirmed and can no longer be changed"));
}

const NO_FILE = { code: "not_found", what: "file" } as const;

/** A confirmed file, for callers who may read it. */
export const locateUpload = admittedHandler(
  "getUpload",
  (viewer, context, { number }: NumberedRequest) => {
    const found = findUpload(number, { uploads: () => context.uploads.list() });
    if (!found.ok) return found;
    const { stored, status, field } = found.value;
    const isHidden = !canSeeField(viewer.narrowing(), field);
    return stored === null || status !== "confirmed" || isHidden
      ? refuse(NO_FILE)
      : ok({ key: stored.key, upload: viewUpload(found.value) });
  },
);

/** Deletes every file that ever arrived for a session, including leftovers of broken requests. */
export async function deleteFiles(uploads: R2Bucket, { objectIdHex }: PurgeMark): Promise<void> {
  const prefix = `${objectIdHex}/`;
  for (;;) {
    const { objects, truncated } = await uploads.list({ prefix });
    if (objects.length > 0) await uploads.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}
