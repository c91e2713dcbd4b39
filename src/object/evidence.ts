/** The log as evidence: exported, proven, and summed up in a receipt. Nothing here writes. */
import { invalid } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import { receiptOf } from "../domain/session/receipt";
import type { Room } from "./room";
import { ok, refuse } from "../domain/result";
import { admitting, viewing } from "./admitted";
import { viewerOf, type Viewer } from "./gate";
import type { ChainEnd, ReceiptContent, Removed } from "./evidence-messages";
import type { Asked, PurgeRequest, Reply } from "./messages";
import { admitPurge } from "./read";

/** Without `until` it is the first part, which settles where the export ends. */
type ExportRequest = Asked & { readonly after: number; readonly until?: number };

/** An export ends where the log ended when its first part was read. */
export const exportEvidence = admitting("audit", (viewer, room, request: ExportRequest) => {
  // Of a log with parts left out the chain proves nothing: who sees parts of it gets a receipt.
  if (viewer.narrowing() !== null) {
    return refuse({ code: "scope_denied", needed: "view", why: "lacking" });
  }
  const end = endOf(room, viewer, request.until);
  return ok({ ...viewer.evidence(request.after, end.seq), end });
});

/** Without `seq`, of the head. */
type ProofRequest = Asked & { readonly seq?: number | undefined };

export const readProof = admitting("audit", (viewer, room, request: ProofRequest) => {
  const head = room.store.head();
  const { seq = head } = request;
  const end = seq > head ? null : viewer.chainAt(seq);
  if (end !== null) return ok(end);
  return refuse(invalid(`seq is ${seq}, but the log ends at ${head}`, "seq"));
});

export const readReceipt = viewing("get", (viewer, room): ReceiptContent => {
  const visible = viewer.narrowing()?.visible ?? null;
  const uploads = room.uploads
    .list()
    .filter(({ field }) => visible === null || visible.includes(field ?? ""));
  const { createdAt, createdBy } = viewer.session;
  const receipt = receiptOf({ ...viewer.view(), createdAt, createdBy }, uploads);
  return { receipt, end: endOf(room, viewer) };
});

/** May this token purge the session, and what will be left of it? The emptying itself is the object's. */
export function certifyPurge(room: Room, request: PurgeRequest, now: number): Reply<Removed> {
  const admitted = admitPurge(room, request, now);
  if (!admitted.ok) return admitted;
  const files = room.uploads
    .list()
    .filter(({ status }) => status === "confirmed")
    .flatMap(({ sha256 }) => sha256 ?? []);
  const blobs = room.blobs.after("", LIMITS.blobs).map(({ sha256 }) => sha256);
  const end = endOf(room, viewerOf(room, admitted.value, now));
  return { ok: true, value: { end, files, blobs } };
}

function endOf({ store }: Room, viewer: Viewer, seq = store.head()): ChainEnd {
  const end = viewer.chainAt(seq);
  if (end === null) throw new Error("unreachable: every seq up to the head has its chain");
  return end;
}
