/** Formats sessions and events for people. */
import type { LogEvent, SessionView } from "../client/index";
import { truncate, formatPairs, printable, type Paint } from "./paint";

const STATE_TONE: Readonly<Record<string, "good" | "bad" | "warn">> = {
  finalized: "good",
  approved: "good",
  rejected: "bad",
  cancelled: "bad",
  expired: "bad",
  awaiting_input: "warn",
  needs_review: "warn",
};

export const paintState = (state: string, paint: Paint): string => {
  const tone = STATE_TONE[state];
  return tone === undefined ? state : paint[tone](state);
};

const formatValue = (value: unknown): string =>
  printable(typeof value === "string" ? value : JSON.stringify(value));

export function formatSession(session: SessionView, paint: Paint): string {
  const { title, id, state, paused, version, head, fields, missingFields, nextStep } = session;
  const rows: (readonly [string, string])[] = [
    ["id", id],
    ["state", paintState(state, paint) + (paused ? paint.warn(" (paused)") : "")],
    ["version", `${version} (log ends at ${head})`],
    ["expires", session.expiresAt],
    ["changed", `${session.updatedAt} by ${printable(session.updatedBy.id)}`],
  ];
  if (nextStep !== null) {
    rows.push([
      "next step",
      `${nextStep.step}${nextStep.description === undefined ? "" : `: ${printable(nextStep.description)}`}`,
    ]);
  }
  if (session.parent !== null) rows.push(["forked from", session.parent.sessionId]);
  if (missingFields.length > 0)
    rows.push(["missing", paint.warn(missingFields.map(printable).join(", "))]);
  const set = Object.entries(fields).map(
    ([name, value]) => [printable(name), formatValue(value)] as const,
  );
  const parts = [paint.bold(printable(title ?? "(no title)")), formatPairs(rows, paint)];
  if (set.length > 0) parts.push(paint.bold("Fields"), formatPairs(set, paint));
  return parts.join("\n");
}

export function formatEvent({ seq, at, type, actor, payload }: LogEvent, paint: Paint): string {
  const start = `${String(seq).padStart(4)} ${at.slice(11, 19)} ${type}`;
  const detail = `${printable(actor.id)} ${formatValue(payload)}`;
  const available = paint.width - start.length - 2;
  return `${start}  ${paint.dim(truncate(detail, Math.max(available, 10)))}`;
}
