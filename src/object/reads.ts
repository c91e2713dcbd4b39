/** One handler per query of the door, which takes its types from here. None writes anything. */
import { viewOf } from "../domain/checkpoints/checkpoint";
import type { JsonObject } from "../domain/json";
import { ok } from "../domain/result";
import { listBlobs, locateBlob } from "./blobs";
import { describeChild } from "./create";
import type { Room } from "./room";
import type { Answering, Asking, Reads } from "./door";
import { readEvents } from "./events";
import { exportEvidence, readProof, readReceipt } from "./evidence";
import { loadLiving } from "./gate";
import { listEndpoints } from "./note-endpoint";
import { getJob, listJobs } from "./jobs";
import type { CreateRequest, LineageNode, Reply } from "./messages";
import { readLinkState } from "./open-link";
import * as read from "./read";
import { viewing } from "./admitted";
import { readPrivate } from "./private";
import { visitSession } from "./visit";
import { locateUpload, offerUpload } from "./uploads";
import { watchEvents, watchJob } from "./watch";

type Query = (room: Room, request: never, now: number) => Reply<unknown>;

export const READS = {
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
  checkpoints: viewing("listCheckpoints", (_, room): readonly JsonObject[] =>
    room.checkpoints.list().map(viewOf),
  ),
  checkpoint: read.getCheckpoint,
  lineage: read.getLineage,
  /** Between relatives, without a credential: only the Worker and other sessions can ask. */
  relative: (room: Room, _: object, now: number): Reply<LineageNode | null> => {
    const loaded = loadLiving(room, now);
    return ok(loaded === null ? null : read.lineageNode(room, loaded.session));
  },
  /** To who forked it off. Null where it is gone, or no longer that one's to see. */
  child: (room: Room, { from }: Pick<CreateRequest, "from">, now: number) =>
    ok(describeChild(room, from, now)),
  linkState: readLinkState,
  /** All that a person's page shows, in one answer. */
  visit: visitSession,
  offerUpload,
  locateUpload,
  locateBlob,
  listBlobs,
  listJobs,
  getJob,
  /** As a principal that began this session in another connection. */
  watchJob,
  watchEvents,
} satisfies Readonly<Record<string, Query>>;

export function answer<K extends keyof Reads>(
  room: Room,
  query: Asking<Reads, K>,
  now: number,
): Answering<Reads, K> {
  const { kind } = query as { readonly kind: K };
  // Every handler takes the request of its kind, by the type of the door.
  return (READS[kind] as Query)(room, query as never, now) as Answering<Reads, K>;
}
