/** What a rule is given and what it gives back. */
import type { Actor } from "../participants/actor";
import type { Identity } from "../participants/identity";
import type { ResolvedBinding } from "../participants/binding";
import type { CheckpointMeta, NewCheckpoint } from "../checkpoints/checkpoint";
import type { NewEvent } from "../log/event";
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

export interface DecisionContext extends HidingContext {
  readonly session: Session;
  readonly participant: Participant;
  readonly head: number;
  readonly now: number;
  readonly settings: Settings;
  /** Hashes of the token presented, of the one that follows it, and of one made for another. */
  readonly currentToken: TokenHash;
  readonly next: TokenHash;
  readonly made: TokenHash | null;
  /** For a link: the hash of its code. */
  readonly link?: string;
  /** For a handoff: what the new participant is bound to, or why that cannot be. */
  readonly bound?: Result<ResolvedBinding>;
  /** Who asks, where an OpenID provider says so. */
  readonly identity?: Identity;
  readonly participants: readonly Participant[];
  readonly sessionId: SessionId;
  /** Up to the head, in hex. */
  readonly chain: () => string;
  /** For an endpoint: what of it comes sealed. */
  readonly sealed?: SealedEndpointParts;
  /** For a handoff that rings, and for a link that is issued anew: the link, sealed. */
  readonly sealedLink?: string;
  readonly endpoints: () => readonly StoredEndpoint[];
  /** For a handoff that rings: whose the endpoints are that are not the session's own. */
  readonly endpointOwners?: EndpointOwners;
  readonly checkpoints: () => readonly CheckpointMeta[];
  readonly checkpointBody: (number: number) => string | null;
  readonly uploads: () => readonly Upload[];
  /** The last seq up to `seq` that trimming would remove, or null. */
  readonly trimmableUpTo: (seq: number) => number | null;
  /** For a fork: the object id of the child. */
  readonly child: string | null;
  /** A child is planned and not yet made. */
  readonly isForking: boolean;
  /** Children that have ended or are gone. */
  readonly endedChildren: () => readonly SessionId[];
}

/** A participant that the write makes, before it has a token. */
export type NewParticipant = Pick<
  Participant,
  "number" | "actor" | "scopes" | "note" | "expiresAt" | "link" | "bind" | "ring" | "remindAt"
>;

interface LinkUpdate {
  readonly number: number;
  readonly link: Link;
  /** Where it changes: a link that is issued anew lives anew. */
  readonly expiresAt?: number | null;
  /** Where it changes: the link that endpoints are given is the new one. */
  readonly ring?: Participant["ring"];
}

export interface Decision {
  readonly facts: readonly NewEvent[];
  /** What the answer says beside the session and its tokens; kept for a replay, so never a secret. */
  readonly outcome: JsonObject;
  /** The acting participant speaks as this actor from now on. */
  readonly actor?: Actor;
  readonly made?: NewParticipant;
  /** The link of a participant, as it now is. */
  readonly relink?: LinkUpdate;
  /** Participants that can no longer act and leave the session's row; the log keeps them. */
  readonly forgets?: readonly number[];
  /** The acting participant changed content. */
  readonly filled?: true;
  /** Set by resume: where its replay starts. */
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
