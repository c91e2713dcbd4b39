/** The session's word on large content: may it come, is it kept, who may have it. */
import { blobNameProblem, OTHER_BYTES, roomProblem, type StoredBlob } from "../domain/files/blob";
import { invalid } from "../domain/failure";
import type { Room } from "./room";
import { admitTo, refusal } from "./gate";
import type { BlobPage, BlobsRequest } from "./evidence-messages";
import type { BlobOffer, KeepBlob, Reply } from "./messages";

/** Before the bytes: what would be refused anyway is not taken first. True where it is there already. */
export function offerBlob(room: Room, offer: BlobOffer, now: number): Reply<boolean> {
  const problem = offer.problem ?? blobNameProblem(offer.sha256);
  const asked = problem === null ? offer : { ...offer, problem };
  const received = admitTo(room, asked, "putBlob", now);
  if (!received.ok) return received;
  const stored = room.blobs.find(offer.sha256);
  if (stored !== null) return { ok: true, value: true };
  const full = roomProblem(room.blobs.totals(), offer.length);
  if (full !== null) return refusal(room, received.value, full, now);
  room.store.forgettingOnFailure(() => room.blobs.prepare());
  return { ok: true, value: false };
}

/** After the bytes: keeps where they are, or refuses, and then they must go. */
export function keepBlob(room: Room, blob: KeepBlob, now: number): Reply<StoredBlob> {
  const received = admitTo(room, blob, "putBlob", now);
  if (!received.ok) return received;
  const { sha256, size, key, arrived } = blob;
  if (arrived !== sha256) {
    return refusal(room, received.value, invalid(OTHER_BYTES, "sha256"), now);
  }
  // Two who send the same at once: the first is kept.
  const earlier = room.blobs.find(sha256);
  if (earlier !== null) return { ok: true, value: earlier };
  const full = roomProblem(room.blobs.totals(), size);
  if (full !== null) return refusal(room, received.value, full, now);
  const stored = { sha256, size, key };
  room.store.forgettingOnFailure(() => room.blobs.insert(stored));
  return { ok: true, value: stored };
}

export function locateBlob(
  room: Room,
  request: Omit<BlobOffer, "length">,
  now: number,
): Reply<StoredBlob> {
  const problem = request.problem ?? blobNameProblem(request.sha256);
  const asked = problem === null ? request : { ...request, problem };
  const received = admitTo(room, asked, "getBlob", now);
  if (!received.ok) return received;
  const stored = room.blobs.find(request.sha256);
  return stored === null
    ? refusal(room, received.value, { code: "not_found", what: "blob" }, now)
    : { ok: true, value: stored };
}

/** In one answer: for an export, which asks on. */
const PAGE = 1_000;

export function listBlobs(room: Room, request: BlobsRequest, now: number): Reply<BlobPage> {
  const received = admitTo(room, request, "getBlob", now);
  if (!received.ok) return received;
  const blobs = room.blobs.after(request.after, PAGE);
  return { ok: true, value: { blobs, more: blobs.length === PAGE } };
}
