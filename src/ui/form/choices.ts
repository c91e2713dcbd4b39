/** The options of a choice: an `enum`, or constants with titles. */
import { own, type Json, type JsonObject } from "../../domain/json";
import type { Build } from "./build";
import type { Option } from "./node";
import { isNull, listOf, objectOf, resolved, textOf } from "./schema";

/** A select of more than this is nothing anybody goes through. */
const MOST = 500;

/** Null where it is no choice. */
export function choiceOptions(
  { root }: Pick<Build, "root">,
  node: JsonObject,
): readonly Option[] | null {
  const listed = own(node, "enum");
  if (Array.isArray(listed)) {
    const values = (listed as readonly Json[]).filter((value) => value !== null);
    const isShort = values.length > 0 && values.length <= MOST;
    return isShort ? values.map((value) => ({ value, label: nameOf(value), help: null })) : null;
  }
  const given = listOf(own(node, "oneOf") ?? own(node, "anyOf")).filter((one) => !isNull(one));
  if (given.length === 0 || given.length > MOST) return null;
  const options = given.flatMap((raw): readonly Option[] => {
    const one = objectOf(raw) === null ? null : resolved(root, raw);
    const value = one === null ? undefined : own(one, "const");
    if (one === null || value === undefined || value === null) return [];
    return [
      { value, label: textOf(one, "title") ?? nameOf(value), help: textOf(one, "description") },
    ];
  });
  return options.length === given.length ? options : null;
}

const nameOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
