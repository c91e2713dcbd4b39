/** Private values as the object reads and hides them. Nothing here writes. */
import { randomBytes } from "node:crypto";
import { expiryTime } from "../domain/session/expiry";
import { readablePrivate, type Hiding, type PrivateValue } from "../domain/session/private";
import type { Room } from "./room";
import { ok, refuse } from "../domain/result";
import { admitting } from "./admitted";
import type { Viewer } from "./gate";
import type { Asked } from "./messages";
import { sha256 } from "./safety-copy";

const SALT_BYTES = 32;

export const hidingOf = ({ privates }: Room): Hiding => ({
  salt: () => randomBytes(SALT_BYTES).toString("hex"),
  digest: sha256,
  privateValues: () => privates.list(),
});

export const readPrivate = admitting(
  "readPrivate",
  (viewer, room, request: Asked & { readonly field: string }) => {
    const found = readableBy(viewer, room).find(({ field }) => field === request.field);
    return found === undefined
      ? refuse({ code: "not_found", what: "private value" })
      : ok({ ...found, expiresAt: expiryTime(viewer.session) });
  },
);

/** Values leave the object only here, to somebody who is admitted to view. */
export const readableBy = (viewer: Viewer, { privates }: Room): readonly PrivateValue[] =>
  readablePrivate(viewer, viewer.narrowing(), privates.list());
