/**
 * The schema as models need it: whole where a session begins or is looked at, elsewhere only for the
 * names that a call gave and the schema does not have. JSON Schema lets such names pass, so a typing
 * error is saved; it is told.
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
  /** A sentence with a space before it, or nothing. */
  readonly text: string;
  readonly facts: { readonly unknown_fields?: readonly string[] };
}

/** As many names as help to find the right one. */
const MAX_NAMES = 10;

/** An expired session is an outline, and has no schema to speak of. */
export function warnOfUnknownFields(
  { schema }: Partial<SessionView>,
  naming: FieldNames,
): UnknownFieldWarning {
  const { fields = {}, ask = [], show = [] } = naming;
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
