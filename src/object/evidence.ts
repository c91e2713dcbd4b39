/** The log as evidence: exports, proofs and receipts. Nothing here writes. */
import { invalid } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import { canSeeField, notAllowed } from "../domain/participants/narrowing";
import { receiptOf } from "../domain/session/receipt";
import type { SessionContext } from "./session-context";
import { ok, refuse } from "../domain/result";
import { admittedHandler, viewerHandler } from "./admitted-handler";
import { requireViewer, type Viewer } from "./gate";
import type { ChainEnd, ReceiptContent, RemovedContent } from "./evidence-messages";
import type { AuthenticatedRequest, PurgeRequest, Reply } from "./messages";
import { admitPurge } from "./session-queries";

/** Returns a part of the export. A request without `until` gets the first part, which sets the end of the export. */
type ExportRequest = AuthenticatedRequest & { readonly after: number; readonly until?: number };

/** An export ends where the log ended when its first part was read. */
export const exportEvidence = admittedHandler(
  "audit",
  (viewer, context, request: ExportRequest) => {
    // The chain proves nothing about a log with parts left out: who is narrowed gets a receipt
    // instead.
    if (viewer.isNarrowed) {
      return refuse({ code: "scope_denied", needed: "view", why: notAllowed(viewer.participant) });
    }
    const end = endOf(context, viewer, request.until);
    return ok({ ...viewer.evidence(request.after, end.seq), end, floor: floorOf(viewer) });
  },
);

/** Returns the proof at `seq`, by default at the head. */
type ProofRequest = AuthenticatedRequest & { readonly seq?: number | undefined };

export const readProof = admittedHandler("audit", (viewer, context, request: ProofRequest) => {
  const head = context.store.head();
  const { seq = head } = request;
  const end = seq > head ? null : viewer.chainAt(seq);
  if (end !== null) return ok(end);
  return refuse(invalid(`seq is ${seq}, but the log ends at ${head}`, "seq"));
});

export const readReceipt = viewerHandler("get", (viewer, context): ReceiptContent => {
  const narrowing = viewer.narrowing();
  const uploads = context.uploads.list().filter(({ field }) => canSeeField(narrowing, field));
  const { createdAt, createdBy } = viewer.session;
  const receipt = receiptOf({ ...viewer.view(), createdAt, createdBy }, uploads);
  return { receipt, end: endOf(context, viewer), floor: floorOf(viewer) };
});

/**
 * Checks that the token may purge the session, and returns what the certificate lists. The object
 * then deletes its storage.
 */
export function preparePurge(
  context: SessionContext,
  request: PurgeRequest,
  now: number,
): Reply<RemovedContent> {
  const admitted = admitPurge(context, request, now);
  if (!admitted.ok) return admitted;
  const files = context.uploads
    .list()
    .filter(({ status }) => status === "confirmed")
    .flatMap(({ sha256 }) => sha256 ?? []);
  const blobs = context.blobs.after("", LIMITS.blobs).map(({ sha256 }) => sha256);
  const end = endOf(context, requireViewer(context, admitted.value, now));
  return { ok: true, value: { end, files, blobs } };
}

const floorOf = ({ session }: Viewer): number => session.trimmed?.floor ?? 0;

function endOf({ store }: SessionContext, viewer: Viewer, seq = store.head()): ChainEnd {
  const end = viewer.chainAt(seq);
  if (end === null) throw new Error("unreachable: every seq up to the head has its chain");
  return end;
}
