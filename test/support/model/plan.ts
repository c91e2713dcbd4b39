/**
 * A plan is data: the session, its participants, and what each of them tries, with what happens to the
 * request on its way. It is drawn by fast-check or from a seed, never from what the server answers, so that
 * it can be printed, shrunk and run again on another driver.
 */
import type { OperationName, Scope } from "./operations.ts";

export const FATES = ["whole", "request lost", "cut off", "answer lost"] as const;
/** Cut off: the client leaves while the server works on the request. */
export type Fate = (typeof FATES)[number];

export const CONDITIONS = ["none", "seen", "outdated"] as const;
/** `If-Match` of what the participant last saw, of an older version, or none. */
export type Condition = (typeof CONDITIONS)[number];

export const RETRIES = ["now", "later", "never"] as const;
/** What the client does if no answer came: send the same request again at once, at its next step, or not. */
export type Retry = (typeof RETRIES)[number];

export const ACTIONS = ["send", "repeat", "alter", "stale"] as const;
/**
 * A new request; the last accepted request again; the same with one difference; or a new request with an
 * older token.
 */
export type Action = (typeof ACTIONS)[number];

export type PlannedWay = "http" | "mcp" | "socket";

export interface SendStep {
  readonly kind: "send";
  /** Place among the participants; 0 is the creator. */
  readonly who: number;
  readonly action: Action;
  readonly operation: OperationName;
  readonly arg: number;
  readonly isKeyed: boolean;
  readonly condition: Condition;
  readonly fate: Fate;
  readonly retry: Retry;
  readonly way: PlannedWay;
  /** What the participant waits for afterwards; only drivers with a real clock do. */
  readonly pauseMs: number;
}

/** Time passes; with `alarm` the server then does what is due. */
export interface WaitStep {
  readonly kind: "wait";
  readonly minutes: number;
  readonly alarm: boolean;
}

export const FAULTS = [
  "kill",
  "stall",
  "cut sockets",
  "disk full",
  "clock",
  "evict",
  "abort",
  "statement fails",
  "alarm twice",
  "alarm late",
  "alarm fails",
  "spurious alarm",
] as const;
export type FaultName = (typeof FAULTS)[number];

/** A fault strikes the server, or the session's object. Only the driver with faults does this. */
export interface FaultStep {
  readonly kind: "fault";
  readonly fault: FaultName;
  /** Since the start of the session. */
  readonly atMs: number;
  /** Milliseconds of a stall, of a full disk or of a jump of the clock, or which statement fails. */
  readonly amount: number;
}

export type Step = SendStep | WaitStep | FaultStep;

export interface SessionSettings {
  /** How many approvals are needed; 0 means no review. */
  readonly approvals: number;
  /** A field that submit must find, or null. */
  readonly required: string | null;
  readonly ttlMs: number;
  /** Purged at the end while all participants go on; only over a network. */
  readonly isPurged: boolean;
}

export interface Plan {
  readonly settings: SessionSettings;
  /** Scopes of the participants that the creator makes at the start. */
  readonly participants: readonly (readonly Scope[])[];
  readonly steps: readonly Step[];
  /** Each participant takes its own steps, all at the same time; otherwise one step after another. */
  readonly isConcurrent: boolean;
  /** What it shows is around the session: it runs with an owner, endpoints and exports. */
  readonly isObserved?: true;
}

/** The schema of every planned session: most fields are free, one takes a text, one a file, one is private. */
export const schemaOf = ({ required }: SessionSettings) => ({
  properties: {
    amount: { type: "string" },
    file: { format: "file" },
    secret: { "x-baton": { private: true } },
  },
  ...(required === null ? {} : { required: [required] }),
});

export const createBodyOf = (settings: SessionSettings) => ({
  title: "planned",
  schema: schemaOf(settings),
  ttlMs: settings.ttlMs,
  ...(settings.approvals === 0
    ? {}
    : { review: { required: true, approvals: settings.approvals } }),
});
