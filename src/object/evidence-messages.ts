/** Messages between gateway and object about exports, proofs, receipts and certificates. */
import type { JsonObject } from "../domain/json";
import type { EvidencePart } from "../storage/evidence";
import type { ChainEnd } from "../storage/stored-commit";

export type { ChainEnd } from "../storage/stored-commit";

export interface ExportPart extends EvidencePart {
  /** Where the export ends. */
  readonly end: ChainEnd;
  /** The last seq that a trim has removed; 0 if nothing was trimmed. Every trim raises it. */
  readonly floor: number;
}

/** A receipt's content, and the end of the chain that it refers to. */
export interface ReceiptContent {
  readonly receipt: JsonObject;
  readonly end: ChainEnd;
  readonly floor: number;
}

/** What is left of a purged session: hashes only. */
export interface RemovedContent {
  readonly end: ChainEnd;
  /** Hashes of its deleted files. */
  readonly files: readonly string[];
  /** Hashes of its deleted blobs. */
  readonly blobs: readonly string[];
}
