/** The session's word on a file's bytes: may they come, did they come, who may have them. */
import { invalid, tooLarge, type Failure } from "../domain/failure";
import { findUpload, viewUpload, UPLOAD_HASH_MISMATCH, type Upload } from "../domain/files/upload";
import type { PurgeMark } from "./purge-mark";
import type { SessionContext } from "./session-context";
import { ok, refuse, type Result } from "../domain/result";
import { admittedHandler } from "./admitted-handler";
import type { AuthenticatedRequest, NumberedRequest } from "./messages";

/** Bytes that a client is about to send. */
interface UploadOffer extends AuthenticatedRequest {
  readonly upload: number;
  readonly length: number;
  readonly type: string | null;
}

/** Bytes that have arrived whole. */
interface StoredFile extends AuthenticatedRequest {
  readonly upload: number;
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
}

/** Before the bytes: a file that would be refused anyway is not taken first. */
export const offerUpload = admittedHandler("putUpload", (_, context, offer: UploadOffer) => {
  const found = pending(context, offer.upload);
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

/** After the bytes: keeps where they are, or refuses, and then they must go. */
export const saveUpload = admittedHandler("putUpload", (_, context, file: StoredFile) => {
  const found = pending(context, file.upload);
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
});

function pending(context: SessionContext, number: number): Result<Upload> {
  const found = findUpload(number, { uploads: () => context.uploads.list() });
  return !found.ok || found.value.status === "pending"
    ? found
    : refuse(invalid("this file is confirmed and can no longer be changed"));
}

/** A confirmed file, for those who may look. */
export const locateUpload = admittedHandler(
  "getUpload",
  (viewer, context, { number }: NumberedRequest) => {
    const found = findUpload(number, { uploads: () => context.uploads.list() });
    if (!found.ok) return found;
    const { stored, status, field } = found.value;
    const narrowing = viewer.narrowing();
    const isHidden = narrowing !== null && !narrowing.visible.includes(field ?? "");
    return stored === null || status !== "confirmed" || isHidden
      ? refuse({ code: "not_found", what: "file" })
      : ok({ key: stored.key, upload: viewUpload(found.value) });
  },
);

/** All that ever arrived for a session, also what a dying request left behind, is deleted. */
export async function deleteFiles(uploads: R2Bucket, { objectIdHex }: PurgeMark): Promise<void> {
  const prefix = `${objectIdHex}/`;
  for (;;) {
    const { objects, truncated } = await uploads.list({ prefix });
    if (objects.length > 0) await uploads.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}
