/**
 * What a posted form says: which fields the person changed, where somebody else changed them too, and
 * what is wrong with the whole. Each form carries what it showed (`base`) and which fields it drew.
 */
import { canonicalJson, isJsonObject, own, type Json, type JsonObject } from "../../domain/json";
import { parseJsonText } from "../../protocol/parse-json";
import { keysIn, textsFor, type FormModel } from "./fields";
import { isInputOf, type Child, type Texts } from "./node";
import { readChildren } from "./read";

type Fields = Readonly<Record<string, Json>>;

interface Answers {
  /** As they would be, of the fields that the form drew; undefined for what is empty. */
  readonly values: ReadonlyMap<string, Json | undefined>;
  /** What the person changed; a null removes. */
  readonly changes: Fields;
  /** Changed here and by somebody else since the form was drawn, and not chosen between yet. */
  readonly conflicts: readonly string[];
  /** Fields that say what the form said before anybody typed. */
  readonly untouched: ReadonlySet<string>;
}

export const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b);

export const choiceName = (key: string): string => `choice/f/${encodeURIComponent(key)}`;

export function answersIn(model: FormModel, texts: Texts, current: Fields): Answers {
  const base = jsonIn(texts, "base");
  const drawn = drawnKeys(model, texts);
  // Conflicts that were shown and that nobody has chosen in yet.
  const open = new Set(Object.values(jsonIn(texts, "open")));
  const read = (from: Texts): JsonObject =>
    readChildren(
      { root: model.root, texts: from },
      model.children.filter(
        (child) => keysIn(child).some((key) => drawn.has(key)) || child.key === "",
      ),
      base,
      current as JsonObject,
    ).value;
  const value = read(texts);
  // A part that does not apply is not read, but a form that nobody touched must not remove it.
  const asDrawn = read(textsFor(model, base, null, null));
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

/** The fields that this form drew and that are still asked for. Files are not written here. */
function drawnKeys({ children }: FormModel, texts: Texts): ReadonlySet<string> {
  const listed = jsonIn(texts, "drawn");
  const names = Array.isArray(listed) ? new Set(listed as readonly Json[]) : null;
  const written = children.filter(
    ({ node }) => node.kind !== "file" && !(node.kind === "fixed" && !node.isConstant),
  );
  if (names !== null) return new Set(written.flatMap(keysIn).filter((key) => names.has(key)));
  // A form that does not say so has drawn what it sends something of.
  const said = [...texts.keys()];
  const isSaid = ({ node }: Child): boolean => said.some((name) => isInputOf(node, name));
  return new Set(written.filter(isSaid).flatMap(keysIn));
}

export function jsonIn(texts: Texts, name: string): JsonObject {
  const read = parseJsonText(texts.get(name) ?? "{}");
  const value = read.ok ? (read.value as Json) : {};
  return isJsonObject(value) || Array.isArray(value) ? (value as JsonObject) : {};
}
