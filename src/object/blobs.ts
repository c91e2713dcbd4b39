/** The session's word on large content: may it come, is it kept, who may have it. */
import { blobNameProblem, OTHER_BYTES, roomProblem, type StoredBlob } from "../domain/files/blob";
import { invalid } from "../domain/failure";
import { isOwner } from "../domain/participants/rights";
import type { Room } from "./room";
import { ok, refuse } from "../domain/result";
import { admitting } from "./admitted";
import type { Asked, Reply } from "./messages";

/** Large content that a client is about to send. */
interface BlobOffer extends Asked {
  readonly sha256: string;
  readonly length: number;
}

/** Large content that has arrived whole. */
interface KeepBlob extends Asked {
  readonly sha256: string;
  readonly size: number;
  readonly key: string;
  /** What the bytes hash to. */
  readonly arrived: string;
}

/** A name that is none is told to whoever may look. */
const named = <R extends Located>(request: R): R => {
  const problem = request.problem ?? blobNameProblem(request.sha256);
  return problem === null ? request : { ...request, problem };
};

/** Before the bytes: what would be refused anyway is not taken first. True where it is there already. */
export const offerBlob = (room: Room, offer: BlobOffer, now: number): Reply<boolean> =>
  admitOffer(room, named(offer), now);

const admitOffer = admitting("putBlob", ({ participant }, room, { sha256, length }: BlobOffer) => {
  if (room.blobs.find(sha256) !== null) return ok(true);
  const full = roomProblem(room.blobs.totals(), length, isOwner(participant));
  if (full !== null) return refuse(full);
  room.store.forgettingOnFailure(() => room.blobs.prepare());
  return ok(false);
});

/** After the bytes: keeps where they are, or refuses, and then they must go. */
export const keepBlob = admitting("putBlob", ({ participant }, room, blob: KeepBlob) => {
  const { sha256, size, key, arrived } = blob;
  if (arrived !== sha256) return refuse(invalid(OTHER_BYTES, "sha256"));
  // Two who send the same at once: the first is kept.
  const earlier = room.blobs.find(sha256);
  if (earlier !== null) return ok(earlier);
  const full = roomProblem(room.blobs.totals(), size, isOwner(participant));
  if (full !== null) return refuse(full);
  const stored = { sha256, size, key };
  room.store.forgettingOnFailure(() => room.blobs.insert(stored));
  return ok(stored);
});

type Located = Omit<BlobOffer, "length">;

export const locateBlob = (room: Room, request: Located, now: number): Reply<StoredBlob> =>
  findBlob(room, named(request), now);

const findBlob = admitting("getBlob", (_, room, { sha256 }: Located) => {
  const stored = room.blobs.find(sha256);
  return stored === null ? refuse({ code: "not_found", what: "blob" }) : ok(stored);
});

/** In one answer: for an export, which asks on. */
const PAGE = 1_000;

export const listBlobs = admitting("getBlob", (_, room, { after }: Asked & { after: string }) => {
  const blobs = room.blobs.after(after, PAGE);
  return ok({ blobs, more: blobs.length === PAGE });
});
