/** What passes between gateway and object of exports, proofs, receipts and certificates. */
import type { JsonObject } from "../domain/json";
import type { EvidencePart } from "../storage/evidence";
import type { ChainEnd } from "../storage/stored-commit";

export type { ChainEnd } from "../storage/stored-commit";

export interface ExportPart extends EvidencePart {
  /** Where the export ends. */
  readonly end: ChainEnd;
}

/** What a receipt says of the session, and the chain it speaks of. */
export interface ReceiptContent {
  readonly receipt: JsonObject;
  readonly end: ChainEnd;
}

/** What is left of a session that is removed: hashes only. */
export interface RemovedContent {
  readonly end: ChainEnd;
  /** Hashes of the files that are removed with it. */
  readonly files: readonly string[];
  /** Of its large content. */
  readonly blobs: readonly string[];
}
