/** What wait_for waits for, and how it tells what came. */
import type { LogEvent } from "../domain/log/event";

/** By which a person's part ends. */
export const HANDOFF_ENDINGS: readonly string[] = [
  "handoff.answered",
  "handoff.declined",
  "handoff.expired",
];

/** Who waits for an answer waits for every other ending as well: it would wait in vain. */
export const awaited = (types: readonly string[] = HANDOFF_ENDINGS): readonly string[] =>
  types.includes("handoff.answered") ? [...new Set([...types, ...HANDOFF_ENDINGS])] : types;

export function waitedText(event: LogEvent | null, nextAfter: number): string {
  if (event === null) return `Nothing yet: call wait_for again with after: ${nextAfter}.`;
  const { type, seq, payload } = event;
  const said = HANDOFF_ENDINGS.includes(type) ? `: ${shortened(JSON.stringify(payload))}` : "";
  return `${type} at ${seq}${said}. To continue, call resume_session.`;
}

/** The whole of it is in the facts. */
const shortened = (text: string): string => (text.length > 500 ? `${text.slice(0, 500)}…` : text);
