/** One handler per query; the RPC types are derived from this table. No handler writes. */
import { viewCheckpoint } from "../domain/checkpoints/checkpoint";
import type { JsonObject } from "../domain/json";
import { ok } from "../domain/result";
import { listBlobs, locateBlob } from "./blobs";
import { describeChild } from "./create";
import type { SessionContext } from "./session-context";
import type { RpcResponse, RpcRequest, ReadRpcs } from "./session-rpc";
import { readEvents } from "./events";
import { exportEvidence, readProof, readReceipt } from "./evidence";
import { loadExisting } from "./gate";
import { listEndpoints } from "./session-endpoints";
import { getJob, listJobs } from "./jobs";
import type { CreateRequest, LineageNode, Reply } from "./messages";
import { readLinkState } from "./open-link";
import * as read from "./session-queries";
import { viewerHandler } from "./admitted-handler";
import { readPrivate } from "./private-values";
import { readPersonPage } from "./person-page";
import { locateUpload, offerUpload } from "./uploads";
import { watchEvents, watchJob } from "./watch";

type ReadHandler = (context: SessionContext, request: never, now: number) => Reply<unknown>;

export const READ_HANDLERS = {
  get: read.getSession,
  events: readEvents,
  evidence: exportEvidence,
  proof: readProof,
  receipt: readReceipt,
  private: readPrivate,
  handoffs: read.listHandoffs,
  endpoints: listEndpoints,
  validate: read.validate,
  resumable: read.checkResumable,
  checkpoints: viewerHandler("listCheckpoints", (_, context): readonly JsonObject[] =>
    context.checkpoints.list().map(viewCheckpoint),
  ),
  checkpoint: read.getCheckpoint,
  lineage: read.getLineage,
  /**
   * Called by related sessions, without a credential: only the Worker and other sessions can call it.
   */
  relative: (context: SessionContext, _: object, now: number): Reply<LineageNode | null> => {
    const loaded = loadExisting(context, now);
    return ok(loaded === null ? null : read.lineageNode(context, loaded.session));
  },
  /** For the caller who forked the session. Returns null if the child is gone or the caller may no longer see it. */
  child: (context: SessionContext, { from }: Pick<CreateRequest, "from">, now: number) =>
    ok(describeChild(context, from, now)),
  linkState: readLinkState,
  /** Everything that a person's page shows, in one response. */
  readPersonPage,
  offerUpload,
  locateUpload,
  locateBlob,
  listBlobs,
  listJobs,
  getJob,
  /** For a principal that created this session in another connection. */
  watchJob,
  watchEvents,
} satisfies Readonly<Record<string, ReadHandler>>;

export function executeRead<K extends keyof ReadRpcs>(
  context: SessionContext,
  query: RpcRequest<ReadRpcs, K>,
  now: number,
): RpcResponse<ReadRpcs, K> {
  const { kind } = query as { readonly kind: K };
  // Every handler accepts the request of its kind, by the RPC types.
  return (READ_HANDLERS[kind] as ReadHandler)(context, query as never, now) as RpcResponse<
    ReadRpcs,
    K
  >;
}
