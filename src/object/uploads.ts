/** The session's word on a file's bytes: may they come, did they come, who may have them. */
import { invalid, type Failure } from "../domain/failure";
import { find, viewUpload, WRONG_HASH, type Upload } from "../domain/files/upload";
import type { Room } from "./room";
import { admitTo, refusal } from "./gate";
import type { Asked, LocatedUpload, Reply, StoredFile, UploadOffer } from "./messages";

/** Before the bytes: a file that would be refused anyway is not taken first. */
export function offerUpload(room: Room, offer: UploadOffer, now: number): Reply<Upload> {
  const received = admitTo(room, offer, "putUpload", now);
  if (!received.ok) return received;
  const found = pending(room, offer.upload);
  const problem = found.ok ? offerProblem(found.upload, offer) : found.failure;
  if (problem !== null) return refusal(room, received.value, problem, now);
  return found.ok ? { ok: true, value: found.upload } : found;
}

function offerProblem({ size, type }: Upload, offer: UploadOffer): Failure | null {
  if (offer.length > size) {
    return { code: "too_large", what: "this file, in bytes", limit: size };
  }
  if (offer.length < size) return invalid(`the file was announced with ${size} bytes`);
  return offer.type !== null && essence(offer.type) !== essence(type)
    ? { code: "unsupported_media_type", wanted: `files of type ${type}, as announced,` }
    : null;
}

const essence = (type: string): string => type.split(";")[0]?.trim().toLowerCase() ?? "";

/** After the bytes: keeps where they are, or refuses, and then they must go. */
export function keepStored(room: Room, file: StoredFile, now: number): Reply<string | null> {
  const received = admitTo(room, file, "putUpload", now);
  if (!received.ok) return received;
  const found = pending(room, file.upload);
  if (!found.ok) return refusal(room, received.value, found.failure, now);
  const { upload } = found;
  const { key, size, sha256 } = file;
  if (upload.sha256 !== null && upload.sha256 !== sha256) {
    return refusal(room, received.value, invalid(WRONG_HASH, "sha256"), now);
  }
  room.store.forgettingOnFailure(() =>
    room.uploads.save({ ...upload, stored: { key, size, sha256 } }),
  );
  return { ok: true, value: upload.stored?.key ?? null };
}

function pending(
  room: Room,
  number: number,
):
  | { readonly ok: true; readonly upload: Upload }
  | { readonly ok: false; readonly failure: Failure } {
  const found = find(number, { uploads: () => room.uploads.list() });
  if (!found.ok) return { ok: false, failure: found.error };
  return found.value.status === "pending"
    ? { ok: true, upload: found.value }
    : { ok: false, failure: invalid("this file is confirmed and can no longer be changed") };
}

/** A confirmed file, for those who may look. */
export function locateUpload(
  room: Room,
  request: Asked & { readonly number: number },
  now: number,
): Reply<LocatedUpload> {
  const received = admitTo(room, request, "getUpload", now);
  if (!received.ok) return received;
  const found = find(request.number, { uploads: () => room.uploads.list() });
  if (!found.ok) return refusal(room, received.value, found.error, now);
  const { stored, status, field } = found.value;
  const narrowing = received.value.narrowing();
  const isHidden = narrowing !== null && !narrowing.visible.includes(field ?? "");
  return stored === null || status !== "confirmed" || isHidden
    ? refusal(room, received.value, { code: "not_found", what: "file" }, now)
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
