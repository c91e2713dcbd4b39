/** The log as evidence: exported, proven, and summed up in a receipt. Nothing here writes. */
import { invalid } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import { receiptOf } from "../domain/session/receipt";
import type { Room } from "./room";
import { admitTo, refusal, viewerOf, type Viewer } from "./gate";
import type {
  ChainEnd,
  EvidenceRequest,
  ExportPart,
  ProofRequest,
  ReceiptContent,
  Removed,
} from "./evidence-messages";
import type { Asked, PurgeRequest, Reply } from "./messages";
import { admitPurge } from "./read";

/** An export ends where the log ended when its first part was read. */
export function exportEvidence(
  room: Room,
  request: EvidenceRequest,
  now: number,
): Reply<ExportPart> {
  const admitted = admitTo(room, request, "audit", now);
  if (!admitted.ok) return admitted;
  // Of a log with parts left out the chain proves nothing: who sees parts of it gets a receipt.
  if (admitted.value.narrowing() !== null) {
    const denied = { code: "scope_denied", needed: "view", why: "lacking" } as const;
    return refusal(room, admitted.value, denied, now);
  }
  const end = endOf(room, admitted.value, request.until);
  const page = admitted.value.evidence(request.after, end.seq);
  return { ok: true, value: { ...page, end } };
}

export function readProof(room: Room, request: ProofRequest, now: number): Reply<ChainEnd> {
  const admitted = admitTo(room, request, "audit", now);
  if (!admitted.ok) return admitted;
  const head = room.store.head();
  const { seq = head } = request;
  const end = seq > head ? null : admitted.value.chainAt(seq);
  if (end !== null) return { ok: true, value: end };
  const problem = invalid(`seq is ${seq}, but the log ends at ${head}`, "seq");
  return refusal(room, admitted.value, problem, now);
}

export function readReceipt(room: Room, request: Asked, now: number): Reply<ReceiptContent> {
  const admitted = admitTo(room, request, "get", now);
  if (!admitted.ok) return admitted;
  const { value: viewer } = admitted;
  const visible = viewer.narrowing()?.visible ?? null;
  const uploads = room.uploads
    .list()
    .filter(({ field }) => visible === null || visible.includes(field ?? ""));
  const { createdAt, createdBy } = viewer.session;
  const receipt = receiptOf({ ...viewer.view(), createdAt, createdBy }, uploads);
  return { ok: true, value: { receipt, end: endOf(room, viewer) } };
}

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
