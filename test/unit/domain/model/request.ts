/** What is asked of both, the rules and the model of them. */
import type { Command } from "../../../../src/domain/session/command";
import type { AppendedEvent } from "../../../../src/domain/session/command";

export type Asked =
  | Command
  | { readonly operation: "append"; readonly events: readonly AppendedEvent[] };

export interface Request {
  readonly who: number;
  /** Which of the participant's tokens, counted from its first; one too many is a false one. */
  readonly token: number;
  readonly asked: Asked;
  readonly ifMatch: number | null;
  readonly key: string | null;
}

/** A code of refusal, "ok", or "replay". */
export type Verdict = string;

/** All that both must agree on. */
export interface Standing {
  readonly state: string;
  readonly paused: boolean;
  readonly version: number;
  readonly head: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly title: string | null;
  readonly expiresAt: number;
  readonly approvals: number;
  readonly revoked: readonly number[];
}
