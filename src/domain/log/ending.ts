/**
 * Why a listener's connection ends, and whose connections a commit ends. Derived from the events
 * themselves, so that no write can forget to tell those who listen.
 */
import type { Commit } from "./commit";
import { numberOf } from "../ids";
import { isTerminal } from "../session/state";

export type Ending = "ended" | "expired" | "gone" | "revoked" | "superseded";

interface Departures {
  /** Participants whose connections end before the commit is announced, and why. */
  readonly before: readonly { readonly participant: number; readonly ending: Ending }[];
  /** Everybody's connection ends after the commit is announced. */
  readonly after: Ending | null;
}

export function departures({ events, session }: Pick<Commit, "events" | "session">): Departures {
  const before = events.flatMap(({ type, payload }) => {
    const ending = endingOf(type, payload["by"]);
    const participant = numberOf(String(payload["participant"]), "par_");
    return ending === null || participant === null ? [] : [{ participant, ending }];
  });
  return { before, after: terminalEnding(session.state) };
}

function endingOf(type: string, by: unknown): Ending | null {
  if (type === "token.revoked") return "revoked";
  if (type === "handoff.resumed") return "superseded";
  if (type === "handoff.reissued") return "revoked";
  return type === "token.accessed" && by === "resume" ? "superseded" : null;
}

function terminalEnding(state: Commit["session"]["state"]): Ending | null {
  if (state === "expired") return "expired";
  return isTerminal(state) ? "ended" : null;
}
