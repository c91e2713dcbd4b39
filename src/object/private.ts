/** Private values as the object reads and hides them. Nothing here writes. */
import { randomBytes } from "node:crypto";
import { expiryTime } from "../domain/session/expiry";
import { readablePrivate, type Hiding, type PrivateValue } from "../domain/session/private";
import type { Room } from "./room";
import { admitTo, refusal, type Viewer } from "./gate";
import type { Asked, Reply } from "./messages";
import { sha256 } from "./safety-copy";

const SALT_BYTES = 32;

export const hidingOf = ({ privates }: Room): Hiding => ({
  salt: () => randomBytes(SALT_BYTES).toString("hex"),
  digest: sha256,
  privateValues: () => privates.list(),
});

export function readPrivate(
  room: Room,
  request: Asked & { readonly field: string },
  now: number,
): Reply<PrivateValue & { readonly expiresAt: string }> {
  const admitted = admitTo(room, request, "readPrivate", now);
  if (!admitted.ok) return admitted;
  const found = readableBy(admitted.value, room).find(({ field }) => field === request.field);
  if (found !== undefined) {
    return { ok: true, value: { ...found, expiresAt: expiryTime(admitted.value.session) } };
  }
  return refusal(room, admitted.value, { code: "not_found", what: "private value" }, now);
}

/** Values leave the object only here, to somebody who is admitted to view. */
export const readableBy = (viewer: Viewer, { privates }: Room): readonly PrivateValue[] =>
  readablePrivate(viewer, viewer.narrowing(), privates.list());
