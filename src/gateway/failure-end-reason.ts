/** Maps a refusal to the end reason of a connection that follows a log, or of a person's link. */
import type { EndReason } from "../domain/log/end-reason";
import type { Failure } from "../domain/failure";

/** After a final end reason the log can no longer be read. */
export const isFinal = (reason: EndReason | null): boolean => reason !== null && reason !== "ended";

/** Null if the refusal is about the request. */
export function endReasonOfFailure({ code }: Failure): Exclude<EndReason, "ended"> | null {
  switch (code) {
    case "expired":
    case "gone":
      return code;
    case "token_superseded":
      return "superseded";
    case "token_invalid":
      return "revoked";
    default:
      return null;
  }
}
