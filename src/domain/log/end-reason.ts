/**
 * Why a listener's connection ends, and which connections a commit ends. It is derived from the
 * events, so that no write can forget to close them.
 */
import type { Commit } from "./commit";
import { numberOf } from "../ids";
import { isTerminal } from "../session/state";

export type EndReason = "ended" | "expired" | "gone" | "revoked" | "superseded";

interface ConnectionEnds {
  /** Participants whose connections end before the commit is announced, and why. */
  readonly before: readonly { readonly participant: number; readonly ending: EndReason }[];
  /** Why all connections end after the commit is announced, or null. */
  readonly after: EndReason | null;
}

export function connectionEnds({
  events,
  session,
}: Pick<Commit, "events" | "session">): ConnectionEnds {
  const before = events.flatMap(({ type, payload }) => {
    const ending = endReasonOfEvent(type, payload["by"]);
    const participant = numberOf(String(payload["participant"]), "par_");
    return ending === null || participant === null ? [] : [{ participant, ending }];
  });
  return { before, after: endReasonOfState(session.state) };
}

function endReasonOfEvent(type: string, by: unknown): EndReason | null {
  if (type === "token.revoked") return "revoked";
  if (type === "handoff.resumed") return "superseded";
  if (type === "handoff.reissued") return "revoked";
  return type === "token.accessed" && by === "resume" ? "superseded" : null;
}

function endReasonOfState(state: Commit["session"]["state"]): EndReason | null {
  if (state === "expired") return "expired";
  return isTerminal(state) ? "ended" : null;
}
