/** What the players of an interleaving need of the system they play against, whatever runs it. */
import type { Command } from "../../../src/domain/session/command";
import type { LogEvent } from "../../../src/domain/log/event";
import type { StopReason } from "../../../src/domain/stops/policy";
import type { Session } from "../../../src/domain/session/session";

/** Files have bytes elsewhere and tests of their own. */
export type PlayedCommand =
  | Exclude<
      Command,
      // Nobody plays with links, so none is declined or issued anew. Endpoints come with sealed parts.
      {
        operation:
          | "requestUpload"
          | "confirmUpload"
          | "removeUpload"
          | "decline"
          | "reissue"
          | `${string}Endpoint`;
      }
    >
  | { readonly operation: "append"; readonly events: number; readonly expectedHead?: number }
  | { readonly operation: "reportStop"; readonly reason: StopReason; readonly attempt: number }
  | { readonly operation: "purge" };

/** What spends no token is recognised by its key alone. */
export const SPENDS_NONE: ReadonlySet<PlayedCommand["operation"]> = new Set([
  "append",
  "reportStop",
]);

export interface PlayedRequest {
  readonly token: string;
  readonly command: PlayedCommand;
  readonly key: string | null;
  readonly ifMatch: number | null;
}

export interface PlayedAnswer {
  /** Null when accepted. */
  readonly code: string | null;
  readonly replayed: boolean;
  readonly token: string | null;
  /** A participant the request made: its number and its token. */
  readonly made: { readonly number: number; readonly token: string } | null;
  /** A session the request forked off: its id and its token. */
  readonly child: { readonly id: string; readonly token: string } | null;
  /** Up to where a trim says that the log was trimmed. */
  readonly floor: number | null;
  /** The version of the session as the answer shows it, where it does. */
  readonly version: number | null;
  readonly missed: readonly number[];
  /** First and last seq of an append; the seq of a stop report twice. */
  readonly appended: readonly [number, number] | null;
}

export interface StoredCommitRow {
  readonly first: number;
  readonly last: number;
  readonly participant: number | null;
  readonly version: number;
}

/** A commit as those who listen are told of it. */
export interface Announced {
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

export interface Stored {
  readonly session: Session;
  readonly events: readonly LogEvent[];
  readonly commits: readonly StoredCommitRow[];
  readonly head: number;
}

export interface Driver {
  begin(review: {
    required: boolean;
    approvals: number;
  }): Promise<{ token: string; version: number }>;
  send(request: PlayedRequest): Promise<PlayedAnswer>;
  look(token: string): Promise<PlayedAnswer>;
  /** Time passes; with `alarm` the server does what is due. */
  wait(minutes: number, alarm: boolean): Promise<void>;
  /** Every stored cell, so that "wrote nothing" can be told. */
  snapshot(): Promise<string>;
  stored(): Promise<Stored>;
  /** All that was announced, in its order; absent where nobody listens in. */
  announced?(): Promise<readonly Announced[]>;
}
