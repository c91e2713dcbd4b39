/**
 * Warns a model of field names that the schema does not have. JSON Schema accepts such names, so a typo
 * is saved. Only create and read results contain the whole schema; this file removes it from others.
 */
import { unknownFields } from "../domain/session/validation";
import type { SessionView } from "../domain/session/view";

/** Arguments that name fields. */
interface FieldNames {
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly show?: readonly string[] | undefined;
}

interface UnknownFieldWarning {
  /** A sentence that starts with a space, or empty. */
  readonly text: string;
  readonly facts: { readonly unknown_fields?: readonly string[] };
}

/** Enough names to find the right one. */
const MAX_NAMES = 10;

/** An expired session is an outline without a schema. */
export function warnOfUnknownFields(
  { schema }: Partial<SessionView>,
  names: FieldNames,
): UnknownFieldWarning {
  const { fields = {}, ask = [], show = [] } = names;
  const set = Object.keys(fields).filter((name) => fields[name] !== null);
  const { unknown, known } = unknownFields(schema ?? {}, [...set, ...ask, ...show]);
  if (unknown.length === 0) return { text: "", facts: {} };
  const missing = joinNames(unknown.map((name) => JSON.stringify(name)));
  const text = ` Warning: the schema has no property ${missing}. It has: ${joinNames(known)}.`;
  return { text, facts: { unknown_fields: unknown } };
}

const joinNames = (names: readonly string[]): string =>
  names.length > MAX_NAMES
    ? `${names.slice(0, MAX_NAMES).join(", ")} and ${names.length - MAX_NAMES} more`
    : names.join(", ");

export function withoutSchema<T extends object>(session: T): Omit<T, "schema"> {
  const { schema: _, ...rest } = session as T & { readonly schema?: unknown };
  return rest;
}
