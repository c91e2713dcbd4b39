/** How a connection that follows a log may end, or a person's link, as told by a refusal. */
import type { EndReason } from "../domain/log/end-reason";
import type { Failure } from "../domain/failure";

/** After these the log can no longer be read. */
export const isFinal = (ending: EndReason | null): boolean => ending !== null && ending !== "ended";

/** Null where the refusal is about the request. */
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
