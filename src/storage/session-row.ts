/**
 * What the session's row holds besides the session: its participants, the planned child, the
 * outbox.
 */
import { decodeBase64url, encodeBase64url } from "../domain/base64url";
import type { ChildPlan } from "../domain/checkpoints/fork";
import { EMPTY_OUTBOX, type OutboxState } from "../domain/owners/outbox";
import type { LastWrite, Participant } from "../domain/participants/participant";
import { jsonCell, jsonCellOrNull, type Cell } from "./cells";
import type { SqlRow } from "./sql-port";

/**
 * Participants are JSON in the session's row; only the sealed bytes need an encoding of their own.
 */
type StoredParticipant = Omit<Participant, "last"> & {
  readonly last: (Omit<LastWrite, "sealed"> & { readonly sealed: string | null }) | null;
};

export const participantsText = (participants: readonly Participant[]): string =>
  JSON.stringify(
    participants.map(
      ({ last, ...one }): StoredParticipant => ({
        ...one,
        last: last && { ...last, sealed: last.sealed && encodeBase64url(last.sealed) },
      }),
    ),
  );

export const toParticipants = (row: SqlRow): readonly Participant[] =>
  jsonCell<readonly StoredParticipant[]>(row["participants"] ?? null).map(({ last, ...one }) => ({
    ...one,
    last: last && { ...last, sealed: last.sealed === null ? null : decodeBase64url(last.sealed) },
  }));

export const outboxText = (outbox: OutboxState): string | null =>
  outbox.waiting === null &&
  outbox.untold.length === 0 &&
  outbox.isPurging !== true &&
  (outbox.endpoints ?? []).length === 0
    ? null
    : JSON.stringify(outbox);

export const toOutbox = (cell: Cell | undefined): OutboxState =>
  jsonCellOrNull<OutboxState>(cell) ?? EMPTY_OUTBOX;

export const toPlan = (row: SqlRow): ChildPlan | null => jsonCellOrNull<ChildPlan>(row["plan"]);
