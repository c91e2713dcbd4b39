/** The session's word on a file's bytes: may they come, did they come, who may have them. */
import type { Credential } from "../domain/admission";
import { invalid, type Failure } from "../domain/failure";
import { find, viewUpload, WRONG_HASH, type Upload } from "../domain/upload";
import type { JsonObject } from "../domain/json";
import type { Reply, StoredFile, UploadOffer } from "./messages";
import { admitTo, refusal, type Desk } from "./reception";

/** Before the bytes: a file that would be refused anyway is not taken first. */
export function offerUpload(desk: Desk, offer: UploadOffer, now: number): Reply<Upload> {
  const received = admitTo(desk, offer.credential, "putUpload", now);
  if (!received.ok) return received;
  const found = pending(desk, offer.upload);
  if (!found.ok) return refusal(desk, received.value, found.failure);
  const { size, type } = found.upload;
  if (offer.length > size) {
    return refusal(desk, received.value, {
      code: "too_large",
      what: "this file, in bytes",
      limit: size,
    });
  }
  if (offer.length < size) {
    return refusal(desk, received.value, invalid(`the file was announced with ${size} bytes`));
  }
  if (offer.type !== null && essence(offer.type) !== essence(type)) {
    const wanted = `the type it was announced with, ${type}`;
    return refusal(desk, received.value, { code: "unsupported_media_type", wanted });
  }
  return { ok: true, value: found.upload };
}

const essence = (type: string): string => type.split(";")[0]?.trim().toLowerCase() ?? "";

/** After the bytes: keeps where they are, or refuses, and then they must go. */
export function keepStored(desk: Desk, file: StoredFile, now: number): Reply<string | null> {
  return desk.store.transaction(() => {
    const received = admitTo(desk, file.credential, "putUpload", now);
    if (!received.ok) return received;
    const found = pending(desk, file.upload);
    if (!found.ok) return refusal(desk, received.value, found.failure);
    const { upload } = found;
    const { key, size, sha256 } = file;
    if (upload.sha256 !== null && upload.sha256 !== sha256) {
      return refusal(desk, received.value, invalid(WRONG_HASH, "sha256"));
    }
    desk.uploads.save({ ...upload, stored: { key, size, sha256 } });
    return { ok: true, value: upload.stored?.key ?? null };
  });
}

function pending(
  desk: Desk,
  number: number,
):
  | { readonly ok: true; readonly upload: Upload }
  | { readonly ok: false; readonly failure: Failure } {
  const found = find(number, { uploads: () => desk.uploads.list() });
  if (!found.ok) return { ok: false, failure: found.error };
  return found.value.status === "pending"
    ? { ok: true, upload: found.value }
    : { ok: false, failure: invalid("this file is confirmed and no longer changes") };
}

/** A confirmed file, for those who may look. */
export function locateUpload(
  desk: Desk,
  credential: Credential,
  number: number,
  now: number,
): Reply<{ readonly key: string; readonly upload: JsonObject }> {
  const received = admitTo(desk, credential, "getUpload", now);
  if (!received.ok) return received;
  const found = find(number, { uploads: () => desk.uploads.list() });
  if (!found.ok) return refusal(desk, received.value, found.error);
  const { stored, status } = found.value;
  return stored === null || status !== "confirmed"
    ? refusal(desk, received.value, { code: "not_found", what: "file" })
    : { ok: true, value: { key: stored.key, upload: viewUpload(found.value) } };
}

/** All that ever arrived for a session, also what a dying request left behind, is deleted. */
export async function deleteFiles(uploads: R2Bucket, objectIdHex: string): Promise<void> {
  const prefix = `${objectIdHex}/`;
  for (;;) {
    const { objects, truncated } = await uploads.list({ prefix });
    if (objects.length > 0) await uploads.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}
