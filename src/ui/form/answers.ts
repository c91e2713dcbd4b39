/**
 * The answers in a posted form: which fields the person changed, and which of them another actor changed
 * too. Each form carries the values that it showed (`base`) and the fields that it drew (`drawn`).
 */
import { canonicalJson, isJsonObject, own, type Json, type JsonObject } from "../../domain/json";
import { parseJsonText } from "../../protocol/parse-json";
import { keysIn, textsFor, type FormModel } from "./fields";
import { isInputOf, type Child, type Texts } from "./node";
import { readChildren } from "./read";

type Fields = Readonly<Record<string, Json>>;

interface Answers {
  /** The new values of the fields that the form drew. Undefined for an empty field. */
  readonly values: ReadonlyMap<string, Json | undefined>;
  /** The fields that the person changed. Null removes a field. */
  readonly changes: Fields;
  /** Fields that another actor changed too, and that the person has not decided yet. */
  readonly conflicts: readonly string[];
  /** Fields whose texts are as the form showed them. */
  readonly untouched: ReadonlySet<string>;
}

export const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b);

export const choiceName = (key: string): string => `choice/f/${encodeURIComponent(key)}`;

export function answersIn(model: FormModel, texts: Texts, current: Fields): Answers {
  const base = jsonIn(texts, "base");
  const drawn = drawnKeys(model, texts);
  // Conflicts that were shown and not decided yet.
  const open = new Set(Object.values(jsonIn(texts, "open")));
  const readValues = (from: Texts): JsonObject =>
    readChildren(
      { root: model.root, texts: from },
      model.children.filter(
        (child) => keysIn(child).some((key) => drawn.has(key)) || child.key === "",
      ),
      base,
      current as JsonObject,
    ).value;
  const value = readValues(texts);
  // A part that does not apply is not read, but an untouched form must not remove it.
  const asDrawn = readValues(textsFor(model, base, null, null));
  const values = new Map<string, Json | undefined>();
  const changes: Record<string, Json> = {};
  const conflicts: string[] = [];
  const untouched = new Set<string>();
  for (const key of drawn) {
    const typed = own(value, key);
    const shown = own(base, key);
    const now = own(current, key);
    const choice = texts.get(choiceName(key));
    const isUnread = typed === undefined && own(asDrawn, key) === undefined;
    if (isSame(typed, own(asDrawn, key))) untouched.add(key);
    const isTheirs = choice === "theirs" || isUnread || isSame(typed, shown);
    values.set(key, isTheirs ? now : typed);
    if (isTheirs || isSame(typed, now)) continue;
    const isClash = open.has(key) || !isSame(shown, now);
    if (isClash && choice !== "mine") conflicts.push(key);
    changes[key] = typed ?? null;
  }
  return { values, changes, conflicts, untouched };
}

/** The fields that this form drew and that are still requested. Files are saved separately. */
function drawnKeys({ children }: FormModel, texts: Texts): ReadonlySet<string> {
  const listed = jsonIn(texts, "drawn");
  const names = Array.isArray(listed) ? new Set(listed as readonly Json[]) : null;
  const written = children.filter(
    ({ node }) => node.kind !== "file" && !(node.kind === "fixed" && !node.isConstant),
  );
  if (names !== null) return new Set(written.flatMap(keysIn).filter((key) => names.has(key)));
  // Without the list, a field counts as drawn if the form has an input of it.
  const inputNames = [...texts.keys()];
  const hasInput = ({ node }: Child): boolean => inputNames.some((name) => isInputOf(node, name));
  return new Set(written.filter(hasInput).flatMap(keysIn));
}

export function jsonIn(texts: Texts, name: string): JsonObject {
  const parsed = parseJsonText(texts.get(name) ?? "{}");
  const value = parsed.ok ? (parsed.value as Json) : {};
  return isJsonObject(value) || Array.isArray(value) ? (value as JsonObject) : {};
}
