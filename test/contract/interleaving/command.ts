/** The arguments a step sends. `mark` is another one each time, so that no two requests are alike. */
import type { PlayedCommand } from "./driver";
import { GRANTS, type PlayedOperation } from "./plan";

const MINUTE_MS = 60_000;
const REASONS = ["crash", "user_exit", "context_exhausted", "rate_limit"] as const;
const FIELDS = ["amount", "name", "note", "secret"] as const;

export function commandOf(operation: PlayedOperation, arg: number, mark: string): PlayedCommand {
  switch (operation) {
    case "setFields":
      return setFields(arg, mark);
    case "append":
      return {
        operation,
        events: 1 + (arg % 3),
        ...(arg > 50 ? { expectedHead: arg } : {}),
      };
    case "resume":
      return {
        operation,
        ...(arg % 2 === 0 ? { lastEventSeq: arg % 5 } : {}),
        ...(arg % 4 === 0 ? { actor: { id: mark } } : {}),
        ...(arg % 5 === 0 ? { auto: true } : {}),
      };
    case "requestInput":
      return { operation, note: mark };
    case "approve":
      return { operation, comment: mark };
    case "requestChanges":
      return { operation, comment: mark, fields: { amount: "is it?" } };
    case "handoff":
      return { operation, to: "agent", scopes: GRANTS[arg % GRANTS.length] ?? ["view"] };
    case "revokeHandoff":
      return { operation, participant: 2 + (arg % 5) };
    case "revoke":
      return { operation, target: arg % 6 === 0 ? "others" : 1 + (arg % 6) };
    case "extend":
      return { operation, ttlMs: (30 + arg) * MINUTE_MS };
    case "setLabels":
      return { operation, labels: arg % 2 === 0 ? {} : { mark } };
    case "erasePrivate":
      return { operation, field: "secret" };
    case "reportStop":
      return {
        operation,
        reason: REASONS[arg % REASONS.length] ?? "unknown",
        attempt: 1 + (arg % 5),
      };
    case "checkpoint":
      return { operation, name: mark, pinned: arg % 12 === 0 };
    case "pinCheckpoint":
      return { operation, checkpoint: checkpointOf(arg), pinned: arg % 2 === 0 };
    case "deleteCheckpoint":
    case "restore":
    case "trim":
      return { operation, checkpoint: checkpointOf(arg) };
    case "fork":
      return {
        operation,
        reason: mark,
        ...(arg % 3 === 0 ? { from: checkpointOf(arg) } : {}),
        ...(arg % 10 === 0 ? { finalizeParent: true } : {}),
      };
    case "submit":
    case "purge":
      return { operation };
    case "reject":
    case "finalize":
    case "cancel":
    case "pause":
    case "unpause":
      return { operation, reason: mark };
  }
}

/** The first ones are there in most games that have any, the last in few. */
const checkpointOf = (arg: number): number => [1, 1, 1, 2, 2, 3, 4][arg % 7] ?? 1;

function setFields(arg: number, mark: string): PlayedCommand {
  const field = FIELDS[arg % FIELDS.length] ?? "note";
  const operation = "setFields";
  if (arg % 7 === 0) return { operation, fields: { [field]: null } };
  if (arg % 7 === 1) return { operation, fields: {}, title: mark };
  if (arg % 7 === 2) {
    return { operation, fields: { [field]: mark }, title: mark, nextStep: { description: mark } };
  }
  return { operation, fields: { [field]: mark } };
}
