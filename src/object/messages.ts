/** Messages between gateway and object: plain data, hashes and sealed bytes, never a token. */
import type { Jurisdiction, Location } from "../domain/session/location";
import type { Credential } from "../domain/participants/admission";
import type { EventBatch } from "../domain/log/append";
import type { Ownership } from "../domain/owners/ownership";
import type { Identity } from "../domain/participants/identity";
import type { Binding, RequestOrigin } from "../domain/participants/binding";
import type { Command, CreateArguments } from "../domain/session/command";
import type { DecisionContext } from "../domain/session/decision";
import type { LogEvent } from "../domain/log/event";
import type { Failure } from "../domain/failure";
import type { RequestHash, SessionId, TokenHash } from "../domain/ids";
import type { JsonObject } from "../domain/json";
import type { SealedEndpointParts } from "../domain/notices/endpoint-rules";
import type { ArcpBinding } from "../domain/participants/participant";
import type { Parent } from "../domain/session/session";
import type { State } from "../domain/session/state";
import type { StopDecision } from "../domain/stops/stop";
import type { Trace } from "../domain/log/trace";
import type { HandoffView, SessionOutline, SessionText, SessionView } from "../domain/session/view";
import type { LogPage, PageQuery } from "../storage/log-page";
import type { DirectoryEntry } from "../storage/link-directory";
import type { ChainEnd } from "../storage/stored-commit";
import type { SessionCreationInput } from "./remote-data";
import type { SessionContext } from "./session-context";

/** A refusal, with the current state if the caller has a right to it. */
export interface Refusal {
  readonly ok: false;
  readonly failure: Failure;
  /** Only the outline if the caller may not see the content. */
  readonly current?: SessionView | SessionOutline;
  readonly missed?: readonly LogEvent[];
  readonly more?: boolean;
}

/** Common members of every request with a credential. */
export interface AuthenticatedRequest {
  readonly credential: Credential;
  /**
   * A problem with the rest of the request. It is reported at its place in the order of checks, and
   * only to a caller who may know.
   */
  readonly problem?: Failure;
}

export type NumberedRequest = AuthenticatedRequest & { readonly number: number };

/** Identifies a repeated request that spends no token. */
export interface RequestKey {
  readonly hash: string;
  readonly request: RequestHash;
}

/** A response to a request that spends no token reports whether the presented token is spent. */
export interface Success<T> {
  readonly ok: true;
  readonly value: T;
  readonly isSpent?: true;
}

export type Reply<T> = Success<T> | Refusal;

/** Handles one kind of request, synchronously. */
export type Handler<Request, Value> = (
  context: SessionContext,
  request: Request,
  now: number,
) => Reply<Value>;

export interface CreateRequest extends SessionCreationInput {
  readonly args: CreateArguments;
  readonly token: TokenHash;
  /** Both are set if the session was created with an Idempotency-Key. */
  readonly request: RequestHash | null;
  readonly sealed: Uint8Array | null;
  /**
   * Origin of the request: a repeated create is answered only if its creator may read from there.
   */
  readonly from?: RequestOrigin;
  /** The binding of the creator. */
  readonly bound?: Binding | null;
  /** The owner, if the session has one. */
  readonly belongs?: Ownership | null;
  /** Where the session is stored, if that was requested. */
  readonly location?: Location | null;
  /**
   * Why no session may be created. A session that the same request created before is still found.
   */
  readonly problem?: Failure;
  /** Who creates it, according to an OpenID provider. */
  readonly identity?: Identity;
  /** Set if the creator came over ARCP. */
  readonly arcp?: ArcpBinding;
  readonly trace?: Trace;
}

export interface CreatedSession {
  readonly objectIdHex: string;
  readonly session: SessionText;
  readonly participant: number;
  readonly issuedSeq: number;
  readonly replayed: boolean;
  /** On a replay, the first token's secret as it was sealed at creation. */
  readonly sealed: Uint8Array | null;
}

/** The members of a write that the rules read are passed on unchanged. */
export interface WriteRequest
  extends SessionCreationInput,
    Pick<
      DecisionContext,
      "next" | "made" | "link" | "bound" | "identity" | "sealedLink" | "endpointOwners"
    > {
  readonly credential: Credential;
  readonly command: Command;
  readonly request: RequestHash | null;
  readonly ifMatch: number | null;
  /** For an endpoint: its sealed parts. */
  readonly sealedParts?: SealedEndpointParts;
  /** For a fork: the object id of the child, if the parent has no jurisdiction. */
  readonly child: string | null;
  /** The object id to use instead if the parent is stored in that jurisdiction. */
  readonly childIn?: { readonly jurisdiction: Jurisdiction; readonly child: string };
  readonly sealed: Uint8Array | null;
}

export interface EventPage extends LogPage {
  readonly head: number;
  /** True if the session is in a terminal state, so that no event will follow. */
  readonly ended: boolean;
  /** From this time on the caller must be checked again, even without an announcement. */
  readonly validUntil: number;
  /** From this time on the caller has no rights at all. */
  readonly ownEnd: number;
  /** When the session expires. */
  readonly expiresAt: string;
}

/** The part of a page that is sent to a reader. */
export type EventPageContent = Pick<EventPage, "texts" | "head" | "nextAfter" | "more">;

export interface WriteOutcome {
  readonly session: SessionText;
  readonly participant: number;
  /** First seq of the commit that issued the tokens of this response. */
  readonly issuedSeq: number;
  readonly outcome: JsonObject;
  readonly replayed: boolean;
  /** On a replay, the secrets of the first response as they were sealed then. */
  readonly sealed: Uint8Array | null;
  readonly handoff: HandoffView | null;
  /** Set by resume: the missed events. */
  readonly page: EventPage | null;
  /** The chain up to this commit, if the operation is one that is proven. */
  readonly end: ChainEnd | null;
  /**
   * Set by fork: the new session, as far as the caller may see it. Null if it is gone or access was
   * taken away.
   */
  readonly child: SessionView | SessionOutline | null;
}

/** A session's position in its tree of forks. */
export interface LineageNode {
  readonly sessionId: SessionId;
  readonly title: string | null;
  readonly state: State;
  readonly createdAt: string;
  readonly parent: Parent | null;
  readonly children: readonly SessionId[];
}

export interface StopOutcome {
  readonly decision: StopDecision;
  readonly seq: number;
  readonly replayed: boolean;
  /** When the session expires. */
  readonly expiresAt: string;
}

export interface PurgeRequest {
  readonly credential: Credential;
  readonly ifMatch: number | null;
}

export interface AppendRequest {
  readonly credential: Credential;
  readonly batch: EventBatch;
  readonly expectedHead: number | null;
  readonly ifMatch: number | null;
  readonly key: RequestKey | null;
}

export interface AppendOutcome {
  readonly first: number;
  readonly last: number;
  readonly head: number;
  readonly replayed: boolean;
  /** When the session expires. */
  readonly expiresAt: string;
}

export interface EventsRequest extends AuthenticatedRequest {
  readonly operation: "events" | "audit";
  /** Without `after` the page starts at the participant's cursor. */
  readonly query: Omit<PageQuery, "after"> & { readonly after: number | null };
}

/** Identifies a link to the session that issued it. */
export interface LinkKey {
  readonly participant: number;
  readonly code: string;
  readonly from: RequestOrigin;
}

/** The session and participant that a code refers to. */
export type LinkEntry = DirectoryEntry;

export interface HandoffDirectoryRpc {
  list(code: string, entry: LinkEntry, keepUntil: number): Promise<void>;
  find(code: string): Promise<LinkEntry | null>;
}

export interface MissCounterRpc {
  /** How long the address of this hash must wait, or 0. */
  waitMs(address: string): Promise<number>;
  /** Counts a miss and returns how long the address must wait now. */
  miss(address: string): Promise<number>;
}
