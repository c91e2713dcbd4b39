/** A session's rows as the Worker with faults reads them, as a stored state. */
import type { StoredState } from "../driver.ts";
import type { LoggedCommit, LoggedEvent } from "../history.ts";

export interface Dump {
  readonly commits: readonly {
    readonly first_seq: number;
    readonly last_seq: number;
    readonly participant: number | null;
    readonly events: string;
    /** 1 if a trim removed it and the driver kept it. */
    readonly trimmed: number;
  }[];
  readonly session: {
    readonly state: string;
    readonly version: number;
    readonly paused: number;
    readonly title: string | null;
    readonly fields: string;
    readonly expires_at: number;
  } | null;
}

export function readDump({ commits, session }: Dump): StoredState {
  const logged: LoggedCommit[] = commits.map(
    ({ first_seq, last_seq, participant, events, trimmed }) => ({
      first: first_seq,
      last: last_seq,
      participant,
      events: events
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as LoggedEvent),
      ...(trimmed === 1 ? { isTrimmed: true } : {}),
    }),
  );
  if (session === null) return { commits: logged, stored: null };
  const { state, version, paused, title, fields, expires_at: expiresAt } = session;
  const stored = {
    state,
    version,
    paused: paused === 1,
    title,
    fields: JSON.parse(fields) as Record<string, unknown>,
    expiresAt,
    head: logged.at(-1)?.last ?? 0,
  };
  return { commits: logged, stored };
}
