/**
 * The content of a receipt: who filled what, who submitted, who approved which version, and how it
 * ended.
 */
import { viewUpload, type Upload } from "../files/upload";
import { own, type JsonObject } from "../json";
import { isTerminal } from "./state";
import type { SessionView } from "./view";

type ReceiptSession = Pick<
  SessionView,
  | "title"
  | "state"
  | "version"
  | "createdAt"
  | "createdBy"
  | "fields"
  | "fieldMeta"
  | "review"
  | "updatedAt"
  | "updatedBy"
>;

/** Built from the session as its reader sees it, so that a receipt reveals nothing more. */
export function receiptOf(session: ReceiptSession, uploads: readonly Upload[]): JsonObject {
  const { title, state, version, createdAt, createdBy, review } = session;
  const ended = isTerminal(state) ? { by: session.updatedBy, at: session.updatedAt } : null;
  const content = {
    title,
    state,
    version,
    createdAt,
    createdBy,
    fields: Object.entries(session.fields).map(([field, value]) => {
      const meta = own(session.fieldMeta, field);
      return { field, value, ...(meta === undefined ? {} : { by: meta.actor, at: meta.at }) };
    }),
    files: uploads
      .filter(({ status }) => status === "confirmed")
      .map(viewUpload)
      .map(({ id, field, name, type, size, sha256 }) => ({ id, field, name, type, size, sha256 })),
    submitted: review.submitted ?? null,
    approvals: { needed: review.required ? review.approvals : 0, given: review.approvedBy },
    ended,
  };
  return content as unknown as JsonObject;
}
