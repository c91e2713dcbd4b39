/**
 * Why a listener's connection ends, and whose connections a commit ends. Derived from the events
 * themselves, so that no write can forget to tell those who listen.
 */
import type { Commit } from "./commit";
import { numberOf } from "../ids";
import { isTerminal } from "../session/state";

export type EndReason = "ended" | "expired" | "gone" | "revoked" | "superseded";

interface ConnectionEnds {
  /** Participants whose connections end before the commit is announced, and why. */
  readonly before: readonly { readonly participant: number; readonly ending: EndReason }[];
  /** Everybody's connection ends after the commit is announced. */
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
