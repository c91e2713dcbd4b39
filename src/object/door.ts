/**
 * The door of a session's object: all that can be asked of it, with what it answers. A new write is a
 * line here and a handler in `writes.ts`; a new query is a handler in `reads.ts`.
 */
import type { StoredBlob } from "../domain/files/blob";
import type { ChildPlan } from "../domain/checkpoints/fork";
import type { LinkState } from "../domain/links/link";
import type { SessionOutline, SessionView } from "../domain/session/view";
import type * as evidence from "./evidence-messages";
import type * as job from "./job-messages";
import type * as link from "./link-messages";
import type * as to from "./messages";
import type { READS } from "./reads";

interface Handled<Request, Value> {
  readonly request: Request;
  readonly value: Value;
}

/** To who forked it off. Null where it is gone, or no longer that one's to see. */
type ShownChild = SessionView | SessionOutline | null;

export interface Writes {
  /** The operations that spend a token. */
  command: Handled<to.WriteRequest, to.Written>;
  create: Handled<to.CreateRequest, to.Created>;
  openByKey: Handled<to.OpenByKeyRequest, to.Created>;
  purge: Handled<to.PurgeRequest, evidence.Removed>;
  reportStop: Handled<to.StopRequest, to.Stopped>;
  /** From the parent, which has committed it. */
  beginChild: Handled<{ readonly plan: ChildPlan } & Pick<to.CreateRequest, "from">, ShownChild>;
  openLink: Handled<link.OpenLinkRequest, link.LinkOpened | { readonly state: LinkState }>;
  declineLink: Handled<link.DeclineLinkRequest, { readonly state: LinkState }>;
  keepStored: Handled<to.StoredFile, string | null>;
  /** True where the session holds these bytes already. */
  offerBlob: Handled<to.BlobOffer, boolean>;
  keepBlob: Handled<to.KeepBlob, StoredBlob>;
  submitJob: Handled<job.SubmitJobRequest, job.Submitted>;
  cancelJob: Handled<job.CancelJobRequest, job.ShownJob>;
  /** An explicit goodbye: ends the jobs whose policy says so. */
  closeJobs: Handled<to.Asked & { readonly reason?: string | undefined }, number>;
  claimJob: Handled<job.ClaimRequest, job.Claimed | null>;
  reportJob: Handled<job.ReportRequest, job.Reported>;
  noteJob: Handled<job.NoteJobRequest, boolean>;
  arcpResume: Handled<job.ArcpResumeRequest, job.ArcpResumed>;
  arcpConfirm: Handled<to.Asked, null>;
  keepWatching: Handled<job.KeepWatchingRequest, null>;
  mirror: Handled<job.MirrorRequest, null>;
  /** From an endpoint of this session. */
  noteEndpoint: Handled<to.EndpointNote, null>;
}

/** As their handlers declare them: a query is one entry in `reads.ts`. */
export type Reads = {
  readonly [K in keyof typeof READS]: Handled<
    Parameters<(typeof READS)[K]>[1],
    Extract<ReturnType<(typeof READS)[K]>, { ok: true }>["value"]
  >;
};

type Table<T> = { readonly [K in keyof T]: Handled<unknown, unknown> };
/** A request as it comes through the door: which one it is, and what it says. */
export type Asking<T extends Table<T>, K extends keyof T> = {
  readonly kind: K;
} & T[K]["request"];
export type Answering<T extends Table<T>, K extends keyof T> = to.Reply<T[K]["value"]>;
/** One for each, and no way to forget one. */
export type Handlers<T extends Table<T>, D> = {
  readonly [K in keyof T]: (room: D, request: T[K]["request"], now: number) => Answering<T, K>;
};

/**
 * The object as it is called. Written out because the platform's generated stub type unrolls
 * recursive JSON types without end.
 */
export interface SessionPort {
  write<K extends keyof Writes>(command: Asking<Writes, K>): Promise<Answering<Writes, K>>;
  append(batch: to.AppendRequest): Promise<to.Reply<to.Appended>>;
  read<K extends keyof Reads>(query: Asking<Reads, K>): Promise<Answering<Reads, K>>;
}
