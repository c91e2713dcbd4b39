/** The input and the result of a rule. */
import type { Actor } from "../participants/actor";
import type { Identity } from "../participants/identity";
import type { ResolvedBinding } from "../participants/binding";
import type { CheckpointMeta, NewCheckpoint } from "../checkpoints/checkpoint";
import type { NewServerEvent } from "../log/event";
import type { EventPayloads } from "../log/payloads";
import type { ChildPlan } from "../checkpoints/fork";
import type { SessionId, TokenHash } from "../ids";
import type { JsonObject } from "../json";
import type { SealedEndpointParts } from "../notices/endpoint-rules";
import type { EndpointChange, StoredEndpoint } from "../notices/stored-endpoint";
import type { Link, Participant } from "../participants/participant";
import type { Result } from "../result";
import type { HidingContext, PrivateChange } from "./private-values";
import type { Session } from "./session";
import type { Settings } from "../settings";
import type { Upload } from "../files/upload";

export type EndpointOwners = Readonly<
  Record<string, { readonly owner: string; readonly isEnded: boolean }>
>;

/** Counts of removed commits, and the digest of their list. */
export type RemovedCommits = NonNullable<EventPayloads["session.trimmed"]["removed"]>;

export interface DecisionContext extends HidingContext {
  readonly session: Session;
  readonly participant: Participant;
  readonly head: number;
  readonly now: number;
  readonly settings: Settings;
  /** Hashes of the current token, of the next one, and of the one for a new participant. */
  readonly currentToken: TokenHash;
  readonly next: TokenHash;
  readonly made: TokenHash | null;
  /** For a link: the hash of its code. */
  readonly link?: string;
  /** For a handoff: the binding of the new participant, or why it is not possible. */
  readonly bound?: Result<ResolvedBinding>;
  /** The caller's identity, if an OpenID provider confirmed it. */
  readonly identity?: Identity;
  readonly participants: readonly Participant[];
  readonly sessionId: SessionId;
  /** The chain up to the head, in hex. */
  readonly chain: () => string;
  /** For an endpoint: its sealed values. */
  readonly sealed?: SealedEndpointParts;
  /** For a handoff that notifies, and for a reissued link: the link, sealed. */
  readonly sealedLink?: string;
  readonly endpoints: () => readonly StoredEndpoint[];
  /** For a handoff that notifies: the owners of endpoints that are not the session's own. */
  readonly endpointOwners?: EndpointOwners;
  readonly checkpoints: () => readonly CheckpointMeta[];
  readonly checkpointBody: (number: number) => string | null;
  readonly uploads: () => readonly Upload[];
  /** The last seq up to `seq` that trimming would remove, or null. */
  readonly trimmableUpTo: (seq: number) => number | null;
  /** All commits that are missing after a trim up to that seq, also those of earlier trims. */
  readonly removedByTrim: (upTo: number) => RemovedCommits;
  /** For a fork: the object id of the child. */
  readonly child: string | null;
  /** A child is planned and not created yet. */
  readonly isForking: boolean;
  /** Children that have ended or are gone. */
  readonly endedChildren: () => readonly SessionId[];
}

/** A participant that the write creates, before it has a token. */
export type NewParticipant = Pick<
  Participant,
  | "number"
  | "actor"
  | "scopes"
  | "note"
  | "expiresAt"
  | "link"
  | "terms"
  | "bind"
  | "ring"
  | "remindAt"
>;

interface LinkUpdate {
  readonly number: number;
  readonly link: Link;
  /** If it changes: a reissued link has a new end. */
  readonly expiresAt?: number | null;
  /** If it changes: endpoints receive the new link. */
  readonly ring?: Participant["ring"];
}

export interface Decision {
  readonly events: readonly NewServerEvent[];
  /**
   * The part of the response besides the session and its tokens. It is stored for a replay, so it
   * never contains a secret.
   */
  readonly outcome: JsonObject;
  /** The new actor of the acting participant. */
  readonly actor?: Actor;
  readonly made?: NewParticipant;
  /** The new link of a participant. */
  readonly relink?: LinkUpdate;
  /**
   * Participants that can no longer act and are removed from the session's row. They stay in the
   * log.
   */
  readonly forgets?: readonly number[];
  /** The acting participant changed content. */
  readonly filled?: true;
  /** Set by resume: the seq after which its replay starts. */
  readonly replayAfter?: number;
  readonly checkpoint?: NewCheckpoint;
  readonly pin?: { readonly number: number; readonly pinned: boolean };
  readonly deletedCheckpoint?: number;
  readonly trimUpTo?: number;
  readonly plan?: ChildPlan;
  readonly upload?: Upload;
  readonly private?: PrivateChange;
  readonly endpoint?: EndpointChange;
}

export type DecisionResult = Result<Decision>;
