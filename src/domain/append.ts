/** Client events: what may be appended, and how. */
import type { AppendedEvent } from "./command";
import { EVENT_TYPE_PATTERN, isServerType, type NewEvent } from "./event";
import { invalid, type Failure } from "./failure";
import { jsonBytes } from "./json";
import { LIMITS } from "./limits";

export function appendProblem(events: readonly AppendedEvent[]): Failure | null {
  for (const [index, { type, payload }] of events.entries()) {
    const at = `events[${index}]`;
    if (type.length > LIMITS.eventTypeLength || !EVENT_TYPE_PATTERN.test(type)) {
      return invalid(
        `the type must be a namespaced name such as "agent.progress", at most ${LIMITS.eventTypeLength} characters`,
        `${at}.type`,
      );
    }
    if (isServerType(type)) {
      return invalid(
        `types in the namespace of "${type}" are written by the server only`,
        `${at}.type`,
      );
    }
    if (jsonBytes(payload) > LIMITS.eventBytes) {
      return { code: "too_large", what: `${at}.payload, in bytes`, limit: LIMITS.eventBytes };
    }
  }
  return null;
}

export const appended = (events: readonly AppendedEvent[]): readonly NewEvent[] =>
  events.map(({ type, payload }) => ({ type, payload }));
