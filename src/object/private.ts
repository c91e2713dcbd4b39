/** Private values as the object reads and hides them. Nothing here writes. */
import { randomBytes } from "node:crypto";
import { expiryTime } from "../domain/session/expiry";
import { readablePrivate, type Hiding, type PrivateValue } from "../domain/session/private";
import type { Desk } from "./desk";
import { admitTo, refusal, type Viewer } from "./gate";
import type { Asked, Reply } from "./messages";
import { sha256 } from "./safety-copy";

const SALT_BYTES = 32;

export const hidingOf = ({ privates }: Desk): Hiding => ({
  salt: () => randomBytes(SALT_BYTES).toString("hex"),
  digest: sha256,
  privateValues: () => privates.list(),
});

export function readPrivate(
  desk: Desk,
  request: Asked & { readonly field: string },
  now: number,
): Reply<PrivateValue & { readonly expiresAt: string }> {
  const admitted = admitTo(desk, request, "readPrivate", now);
  if (!admitted.ok) return admitted;
  const found = readableBy(admitted.value, desk).find(({ field }) => field === request.field);
  if (found !== undefined) {
    return { ok: true, value: { ...found, expiresAt: expiryTime(admitted.value.session) } };
  }
  return refusal(desk, admitted.value, { code: "not_found", what: "private value" }, now);
}

/** Values leave the object only here, to somebody who is admitted to view. */
export const readableBy = (viewer: Viewer, { privates }: Desk): readonly PrivateValue[] =>
  readablePrivate(viewer, viewer.narrowing(), privates.list());
