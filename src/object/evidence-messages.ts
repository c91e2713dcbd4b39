/** What passes between gateway and object of exports, proofs, receipts and certificates. */
import type { StoredBlob } from "../domain/files/blob";
import type { JsonObject } from "../domain/json";
import type { EvidencePart } from "../storage/evidence";
import type { ChainEnd } from "../storage/stored-commit";
import type { Asked } from "./messages";

export type { ChainEnd } from "../storage/stored-commit";

export interface ExportPart extends EvidencePart {
  /** Where the export ends. */
  readonly end: ChainEnd;
}

export interface EvidenceRequest extends Asked {
  readonly after: number;
  /** Where the export ends; absent on the first page, which settles it. */
  readonly until?: number;
}

/** What a receipt says of the session, and the chain it speaks of. */
export interface ReceiptContent {
  readonly receipt: JsonObject;
  readonly end: ChainEnd;
}

export interface ProofRequest extends Asked {
  /** Absent: the head. */
  readonly seq?: number | undefined;
}

/** Which large content there is, after a hash. */
export interface BlobsRequest extends Asked {
  readonly after: string;
}

export interface BlobPage {
  readonly blobs: readonly StoredBlob[];
  readonly more: boolean;
}

/** What is left of a session that is removed: hashes only. */
export interface Removed {
  readonly end: ChainEnd;
  /** Hashes of the files that are removed with it. */
  readonly files: readonly string[];
  /** Of its large content. */
  readonly blobs: readonly string[];
}
