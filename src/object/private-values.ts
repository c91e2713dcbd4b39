/** Reads and hides private values. Nothing here writes. */
import { randomBytes } from "node:crypto";
import { expiryTime } from "../domain/session/expiry";
import {
  readablePrivate,
  type HidingContext,
  type PrivateValue,
} from "../domain/session/private-values";
import type { SessionContext } from "./session-context";
import { ok, refuse } from "../domain/result";
import { admittedHandler } from "./admitted-handler";
import type { Viewer } from "./gate";
import type { AuthenticatedRequest } from "./messages";
import { sha256 } from "./verified-checkpoint";

const SALT_BYTES = 32;

export const hidingOf = ({ privates }: SessionContext): HidingContext => ({
  salt: () => randomBytes(SALT_BYTES).toString("hex"),
  digest: sha256,
  privateValues: () => privates.list(),
});

export const readPrivate = admittedHandler(
  "readPrivate",
  (viewer, context, request: AuthenticatedRequest & { readonly field: string }) => {
    const found = readablePrivateValues(viewer, context).find(
      ({ field }) => field === request.field,
    );
    return found === undefined
      ? refuse({ code: "not_found", what: "private value" })
      : ok({ ...found, expiresAt: expiryTime(viewer.session) });
  },
);

/** Values leave the object only here, and only for a viewer. */
export const readablePrivateValues = (
  viewer: Viewer,
  { privates }: SessionContext,
): readonly PrivateValue[] => readablePrivate(viewer, viewer.narrowing(), privates.list());
