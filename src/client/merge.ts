/** Decides whether two writes are compatible: no other writer changed what this one sets. */
import type { SessionView } from "../domain/session/view";
import type { Conflict } from "./errors";
import type { SetInput } from "./inputs";

/** `base` is the session as the writer saw it. Without it, only the missed events are compared. */
export function isDisjoint(
  input: object,
  base: SessionView<object> | null,
  {
    current,
    missed,
    more,
  }: Pick<Conflict, "missed" | "more"> & { readonly current: SessionView<object> },
): boolean {
  const changes: SetInput = input;
  const names = Object.keys(changes.fields ?? {});
  const others = new Set(missed.flatMap(changedFields));
  if (base === null) return !more && !names.some((name) => others.has(name)) && !changes.title;
  return (
    names.every(
      (name) => !others.has(name) && isEqual(valueIn(base, name), valueIn(current, name)),
    ) &&
    (changes.title === undefined || base.title === current.title) &&
    (changes.nextStep === undefined || isEqual(base.nextStep, current.nextStep))
  );
}

/**
 * Both are the server's JSON text of a value. If only the order of keys differs, nothing is merged.
 */
const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const valueIn = (view: SessionView<object>, name: string): unknown =>
  (view.fields as Readonly<Record<string, unknown>>)[name];

const changedFields = ({ type, payload }: Conflict["missed"][number]): readonly string[] =>
  type === "fields.updated"
    ? (payload["changes"] as unknown as readonly { readonly field: string }[]).map(
        ({ field }) => field,
      )
    : [];
