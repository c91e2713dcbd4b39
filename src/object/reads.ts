/** One handler per query of the door. None writes anything. */
import { locateBlob } from "./blobs";
import { describeChild } from "./create";
import type { Desk } from "./desk";
import type { Answering, Asking, Handlers, Reads } from "./door";
import { readEvents } from "./events";
import { loadLiving } from "./gate";
import { getJob, listJobs } from "./jobs";
import { readLinkState } from "./open-link";
import {
  checkResumable,
  getCheckpoint,
  getLineage,
  getSession,
  lineageNode,
  listCheckpoints,
  listHandoffs,
  validate,
} from "./read";
import { visitSession } from "./visit";
import { locateUpload, offerUpload } from "./uploads";
import { watchEvents, watchJob } from "./watch";

const READS: Handlers<Reads, Desk> = {
  get: getSession,
  events: readEvents,
  handoffs: listHandoffs,
  validate,
  resumable: checkResumable,
  checkpoints: listCheckpoints,
  checkpoint: getCheckpoint,
  lineage: getLineage,
  relative: (desk, _, now) => {
    const loaded = loadLiving(desk, now);
    return { ok: true, value: loaded === null ? null : lineageNode(desk, loaded.session) };
  },
  child: (desk, { from }, now) => ({ ok: true, value: describeChild(desk, from, now) }),
  linkState: (desk, key, now) => ({ ok: true, value: readLinkState(desk, key, now) }),
  visit: visitSession,
  offerUpload,
  locateUpload,
  locateBlob,
  listJobs,
  getJob,
  watchJob,
  watchEvents,
};

export function answer<K extends keyof Reads>(
  desk: Desk,
  query: Asking<Reads, K>,
  now: number,
): Answering<Reads, K> {
  const { kind } = query as { readonly kind: K };
  return READS[kind](desk, query, now);
}
