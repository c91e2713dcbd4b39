/** What passes between gateway and object: plain data, hashes and sealed bytes, never a token. */
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

/** A refusal, with the present state where the caller has a right to it. */
export interface Refusal {
  readonly ok: false;
  readonly failure: Failure;
  /** Only its outline where its content may not be seen. */
  readonly current?: SessionView | SessionOutline;
  readonly missed?: readonly LogEvent[];
  readonly more?: boolean;
}

/** What every request with a credential says of itself. */
export interface AuthenticatedRequest {
  readonly credential: Credential;
  /** What is wrong with the rest of the request: told at its place in the order, to who may know. */
  readonly problem?: Failure;
}

/** Of something that has a number. */
export type NumberedRequest = AuthenticatedRequest & { readonly number: number };

/** By which the same request is known again, where it spends no token. */
export interface RequestKey {
  readonly hash: string;
  readonly request: RequestHash;
}

/** An answer to what spends no token says where the one that was presented is spent. */
export interface Success<T> {
  readonly ok: true;
  readonly value: T;
  readonly isSpent?: true;
}

export type Reply<T> = Success<T> | Refusal;

/** Of one kind of request. It waits for nothing. */
export type Handler<Request, Value> = (
  context: SessionContext,
  request: Request,
  now: number,
) => Reply<Value>;

export interface CreateRequest extends SessionCreationInput {
  readonly args: CreateArguments;
  readonly token: TokenHash;
  /** Both set when the session was named by an Idempotency-Key. */
  readonly request: RequestHash | null;
  readonly sealed: Uint8Array | null;
  /** Where it is asked for: a repeated create is answered only where its creator may look from. */
  readonly from?: RequestOrigin;
  /** What the creator is bound to. */
  readonly bound?: Binding | null;
  /** Whose it is, where it belongs to an owner. */
  readonly belongs?: Ownership | null;
  /** Where it is kept, where that was asked for. */
  readonly location?: Location | null;
  /** Why nothing may begin. What the same request has begun before is found all the same. */
  readonly problem?: Failure;
  /** Who begins it, where an OpenID provider says so. */
  readonly identity?: Identity;
  /** Set where the creator came over ARCP. */
  readonly arcp?: ArcpBinding;
  readonly trace?: Trace;
}

export interface CreatedSession {
  readonly objectIdHex: string;
  readonly session: SessionText;
  readonly participant: number;
  readonly issuedSeq: number;
  readonly replayed: boolean;
  /** On a replay, the first token's secret as it was sealed then. */
  readonly sealed: Uint8Array | null;
}

/** What a rule is given of a write comes with it as it is. */
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
  /** For an endpoint: what of it comes sealed. */
  readonly sealedParts?: SealedEndpointParts;
  /** For a fork: the object id of the child, if it is the first to be tried. */
  readonly child: string | null;
  /** And the one that is taken where the parent is kept in that jurisdiction. */
  readonly childIn?: { readonly jurisdiction: Jurisdiction; readonly child: string };
  readonly sealed: Uint8Array | null;
}

export interface EventPage extends LogPage {
  readonly head: number;
  /** No event will follow: the session is in a terminal state. */
  readonly ended: boolean;
  /** From this time on the caller must be checked again, whatever was announced. */
  readonly validUntil: number;
  /** From this time on the caller has no rights at all. */
  readonly ownEnd: number;
  /** When the session expires. */
  readonly expiresAt: string;
}

/** What a reader is told of a page. */
export type EventPageContent = Pick<EventPage, "texts" | "head" | "nextAfter" | "more">;

export interface WriteOutcome {
  readonly session: SessionText;
  readonly participant: number;
  /** First seq of the commit that issued the tokens of this answer. */
  readonly issuedSeq: number;
  readonly outcome: JsonObject;
  readonly replayed: boolean;
  /** On a replay, the secrets of the first answer as they were sealed then. */
  readonly sealed: Uint8Array | null;
  readonly handoff: HandoffView | null;
  /** Set by resume: what was missed. */
  readonly page: EventPage | null;
  /** The chain up to this commit, where the operation is one that is proven. */
  readonly end: ChainEnd | null;
  /** Set by fork: the new session, as far as it may be seen; null where it is gone or was taken away. */
  readonly child: SessionView | SessionOutline | null;
}

/** A session's place in its line of forks. */
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

/** Names a link to the session that issued it. */
export interface LinkKey {
  readonly participant: number;
  readonly code: string;
  readonly from: RequestOrigin;
}

/** Where a code leads. */
export type LinkEntry = DirectoryEntry;

export interface HandoffDirectoryRpc {
  list(code: string, entry: LinkEntry, keepUntil: number): Promise<void>;
  find(code: string): Promise<LinkEntry | null>;
}

export interface MissCounterRpc {
  /** How long the address of this hash must wait, or 0. */
  waitMs(address: string): Promise<number>;
  /** Counts a miss; how long the address must wait now. */
  miss(address: string): Promise<number>;
}
