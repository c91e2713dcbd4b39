/** What a plan needs of the system that it runs on. */
import type {
  Announcement,
  Arguments,
  History,
  LoggedCommit,
  LoggedEvent,
  SessionView,
  StoredSession,
} from "./history.ts";
import type { FaultyWorld } from "./network/faulty-world.ts";
import type { Fate, PlannedWay, SessionSettings } from "./plan.ts";

export interface ModelRequest {
  readonly id: string;
  readonly name: string;
  readonly way: PlannedWay;
  readonly token: string;
  readonly key: string | null;
  readonly ifMatch: number | null;
  readonly args: Arguments;
  /** The head that the client knows: a socket starts after it. */
  readonly head: number;
}

export interface Answer {
  /** Null if accepted. */
  readonly code: string | null;
  readonly replayed: boolean;
  readonly token: string | null;
  /** The first token of a participant that the request made. */
  readonly madeToken: string | null;
  readonly childToken: string | null;
  readonly link: { readonly participant: number; readonly code: string } | null;
  readonly shown: SessionView | null;
  /** First seq of an append, or the seq of a stop report. */
  readonly first: number | null;
  readonly from: string | null;
  readonly events: readonly LoggedEvent[] | null;
  readonly missed: readonly LoggedEvent[] | null;
}

export const NO_ANSWER: Answer = {
  code: null,
  replayed: false,
  token: null,
  madeToken: null,
  childToken: null,
  link: null,
  shown: null,
  first: null,
  from: null,
  events: null,
  missed: null,
};

/** Everything that is stored of a session. */
export interface StoredState {
  readonly commits: readonly LoggedCommit[];
  readonly stored: StoredSession | null;
  readonly productFold?: History["productFold"];
}

/** A fingerprint of every stored cell, and how many rows were written so far. */
export interface Snapshot {
  readonly cells: string;
  readonly rowsWritten: number;
}

/** One session on one driver. */
export interface DrivenSession {
  readonly id: string;
  readonly token: string;
  readonly created: Answer;
  /** Null if no certain answer came. A driver that loses nothing ignores the fate. */
  send(request: ModelRequest, fate: Fate): Promise<Answer | null>;
  stored(): Promise<StoredState>;
  /** Only drivers that look into the storage. */
  snapshot?(): Promise<Snapshot>;
  announcements?(): readonly Announcement[];
  /** Only drivers that set the clock. */
  wait?(minutes: number, alarm: boolean): Promise<void>;
}

export interface Driver {
  /** Requests and answers really get lost; otherwise the run only keeps answers from the client. */
  readonly losesMessages: boolean;
  /** Only a driver with a network, and a way into the server, has this. */
  readonly network?: FaultyWorld | undefined;
  /** What participant and commit a token names. */
  tokenParts(token: string): { readonly participant: number; readonly seq: number };
  create(settings: SessionSettings, id: string): Promise<DrivenSession | null>;
  /** The time of the run, and what the server's clock can have shown. */
  now(): number;
  clock(invoked: number, responded: number): readonly [least: number, most: number];
}
