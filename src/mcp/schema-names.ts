/**
 * The schema as models need it: whole where a session begins or is looked at, elsewhere only for the
 * names that a call gave and the schema does not have. JSON Schema lets such names pass, so a typing
 * error is saved; it is told.
 */
import { strangersTo } from "../domain/session/validation";
import type { SessionView } from "../domain/session/view";

/** Arguments that name fields. */
interface Naming {
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly show?: readonly string[] | undefined;
}

interface Warned {
  /** A sentence with a space before it, or nothing. */
  readonly words: string;
  readonly facts: { readonly unknown_fields?: readonly string[] };
}

/** As many names as help to find the right one. */
const NAMED = 10;

/** An expired session is an outline, and has no schema to speak of. */
export function warnedOf({ schema }: Partial<SessionView>, naming: Naming): Warned {
  const { fields = {}, ask = [], show = [] } = naming;
  const set = Object.keys(fields).filter((name) => fields[name] !== null);
  const { unknown, known } = strangersTo(schema ?? {}, [...set, ...ask, ...show]);
  if (unknown.length === 0) return { words: "", facts: {} };
  const missing = listed(unknown.map((name) => JSON.stringify(name)));
  const words = ` Warning: the schema has no property ${missing}. It has: ${listed(known)}.`;
  return { words, facts: { unknown_fields: unknown } };
}

const listed = (names: readonly string[]): string =>
  names.length > NAMED
    ? `${names.slice(0, NAMED).join(", ")} and ${names.length - NAMED} more`
    : names.join(", ");

export function withoutSchema<T extends object>(session: T): Omit<T, "schema"> {
  const { schema: _, ...rest } = session as T & { readonly schema?: unknown };
  return rest;
}
