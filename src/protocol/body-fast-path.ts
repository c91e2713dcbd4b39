/**
 * The fast path for the two most frequent bodies: recognizes their usual form without zod, which would
 * copy every part of them. Invariant: zod accepts every body that is accepted here, with the same
 * result. zod parses all other bodies and reports all errors.
 */
import { isJsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";

export function matchesAppendFastPath(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  for (const key in value) if (key !== "events" && key !== "expectedHead") return false;
  const { events, expectedHead } = value;
  if (expectedHead !== undefined && !isCount(expectedHead)) return false;
  if (!Array.isArray(events) || events.length === 0) return false;
  return events.length <= LIMITS.eventsPerAppend && events.every(matchesEventFastPath);
}

function matchesEventFastPath(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  for (const key in value) if (key !== "type" && key !== "payload") return false;
  return typeof value["type"] === "string" && isJsonObject(value["payload"]);
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

export function matchesSetFieldsFastPath(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  for (const key in value) if (key !== "fields") return false;
  const { fields } = value;
  if (!isJsonObject(fields)) return false;
  let count = 0;
  for (const name in fields) {
    if (name.length === 0 || name.length > LIMITS.fieldNameLength) return false;
    count += 1;
  }
  return count > 0;
}
