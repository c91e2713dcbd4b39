/** How a connection that follows a log may end, as told by a refusal. */
import type { Ending } from "../domain/log/ending";
import type { Failure } from "../domain/failure";

/** After these the log can no longer be read. */
export const isFinal = (ending: Ending | null): boolean => ending !== null && ending !== "ended";

export function endingOfFailure({ code }: Failure): Ending | null {
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
