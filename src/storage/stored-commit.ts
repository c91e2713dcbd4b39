/** A commit as read from a row of the log, with as much of it as was requested. */
import { bytesToHex } from "../domain/base64url";
import { HASH_BYTES } from "./chain";
import { bytesOrNull } from "./cells";
import type { SqlRow } from "./sql-port";
import type { TrimmedCommit } from "./trimmed-hashes";

export interface StoredCommit {
  readonly first: number;
  readonly last: number;
  /** One line of JSON per event, exactly as sent. */
  readonly lines: string;
  /** Only if they were requested. */
  readonly at?: number;
  readonly actorText?: string;
  readonly participant?: number | null;
  readonly chain?: Uint8Array;
}

/** The last seq that the chain covers, and its value in hex. */
export interface ChainEnd {
  readonly seq: number;
  readonly chain: string;
}

export const toChainEnd = (row: SqlRow): ChainEnd => ({
  seq: Number(row["last_seq"]),
  chain: bytesToHex(bytesOrNull(row["chain"]) ?? new Uint8Array()),
});

export const toTrimmedCommit = (row: SqlRow): TrimmedCommit => ({
  first: Number(row["first_seq"]),
  last: Number(row["last_seq"]),
  bodyHash: bytesOrNull(row["body_hash"]) ?? new Uint8Array(HASH_BYTES),
});

export const toStoredCommit = (row: SqlRow): StoredCommit => ({
  first: Number(row["first_seq"]),
  last: Number(row["last_seq"]),
  lines: row["events"] as string,
  ...(row["at"] === undefined ? {} : { at: Number(row["at"]), actorText: row["actor"] as string }),
  ...(row["chain"] === undefined ? {} : chainIn(row)),
});

const chainIn = (row: SqlRow): Pick<StoredCommit, "participant" | "chain"> => ({
  participant: row["participant"] as number | null,
  chain: bytesOrNull(row["chain"]) ?? new Uint8Array(),
});
