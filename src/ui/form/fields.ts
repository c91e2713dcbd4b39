/**
 * The fields of a session as the parts of one form: what is asked, with at most so many inputs. Values
 * that their own form would not give back exactly are edited as JSON instead.
 */
import { canonicalJson, own, type Json, type JsonObject } from "../../domain/json";
import { LIMITS } from "../../domain/limits";
import { ANSWER_FIELD } from "../../domain/links/terms";
import { buildNode, newFormBudget, TooManyInputs, type BuildContext } from "./build";
import { groupChildren } from "./group";
import { childName, isInputOf, namedNodes, type Child, type FormNode, type Texts } from "./node";
import { readNode } from "./read";
import { labelFor, objectOf, resolveSchema, hintsOf } from "./schema";
import { textsOf } from "./texts";
import { LANGUAGES } from "../words/index";

type Fields = Readonly<Record<string, Json>>;

const MAX_DEPTH = 6;

export interface FormModel {
  /** In which its numbers are written and read. */
  readonly language: string;
  readonly root: JsonObject;
  readonly children: readonly Child[];
}

interface FormModelInput {
  readonly schema: JsonObject | null;
  readonly fields: Fields;
  /** Of the page: its numbers are written and read so. */
  readonly language: string;
  /** Null: all that the schema names, or the one answer where there is no schema. */
  readonly ask: readonly string[] | null;
  /** Only shown, so not drawn here. */
  readonly show: readonly string[];
  readonly texts?: Texts | null;
}

/** As deep as the number of inputs allows; where even the fields are too many, the last are one box. */
export function formModel(given: FormModelInput): FormModel {
  const language = formLanguage(given);
  const wanted = { ...given, language };
  const root = wanted.schema ?? {};
  const asked = requestedFields(wanted);
  const whole = buildDeepest((depth) => childrenAtDepth(wanted, asked, depth));
  if (whole !== null) return { root, language, children: whole };
  const drawn = asked.slice(0, LIMITS.formInputs - 1);
  const rest = asked.slice(drawn.length);
  return {
    root,
    language,
    children: [...childrenAtDepth(wanted, drawn, 1), remainingFieldsBox(rest)],
  };
}

/** Null where it has too many inputs at any depth. */
function buildDeepest<T>(build: (depth: number) => T): T | null {
  for (let depth = MAX_DEPTH; depth > 0; depth--) {
    try {
      return build(depth);
    } catch (error) {
      if (!(error instanceof TooManyInputs)) throw error;
    }
  }
  return null;
}

/** A form is read as it was drawn, also where the person has chosen another language since. */
function formLanguage({ language, texts }: FormModelInput): string {
  const drawn = texts?.get("language") ?? "";
  return Object.hasOwn(LANGUAGES, drawn) ? drawn : language;
}

/** All that is left, as one text. */
const remainingFieldsBox = (fields: readonly string[]): Child => ({
  key: "",
  node: {
    kind: "json",
    name: "f/@rest",
    label: fields.slice(0, 5).map(labelFor).join(", "),
    help: null,
    isRequired: false,
    fields,
  },
});

function requestedFields({ ask, show, schema }: FormModelInput): readonly string[] {
  if (ask !== null) return ask;
  if (schema === null) return [ANSWER_FIELD];
  const properties = own(resolveSchema(schema, schema) ?? {}, "properties");
  return Object.keys(objectOf(properties) ?? {}).filter((name) => !show.includes(name));
}

function childrenAtDepth(
  wanted: FormModelInput,
  asked: readonly string[],
  depth: number,
): readonly Child[] {
  const { schema, fields } = wanted;
  const root = schema ?? {};
  const { language, texts = null } = wanted;
  const build: BuildContext = { root, language, texts, budget: newFormBudget() };
  const node = resolveSchema(root, root) ?? {};
  const named = Object.keys(objectOf(own(node, "properties")) ?? {});
  const place = { name: "f", label: "", isRequired: true, value: fields as JsonObject, depth };
  const wished = new Set(asked);
  const without = new Set(named.filter((name) => !wished.has(name)));
  const all = (schema === null ? null : groupChildren(build, root, node, place, without)) ?? [];
  const isAsked = (name: string): boolean =>
    wanted.ask === null ? !wanted.show.includes(name) : wanted.ask.includes(name);
  const described = all.flatMap((child) => narrowChild(child, isAsked));
  const drawn = new Set([...named, ...all.flatMap(keysIn)]);
  const free = asked
    .filter((name) => !drawn.has(name))
    .map(
      (name): Child => ({
        key: name,
        node: freeNode(build, name, own(fields, name), {
          hasSchema: schema !== null,
          // Without a schema one answer is needed: where there is one box, it is that one.
          isRequired: schema === null && asked.length === 1,
        }),
      }),
    );
  return [...described, ...free].map((child) => exactOrJson(build, child, fields));
}

/** What of a part is asked for: a part of the object around it only with all that is in it. */
function narrowChild(child: Child, isAsked: (name: string) => boolean): readonly Child[] {
  const { key, node } = child;
  if (key !== "") return isAsked(key) ? [child] : [];
  if (node.kind !== "when") return keysIn(child).every(isAsked) ? [child] : [];
  const children = node.children.flatMap((one) => narrowChild(one, isAsked));
  return children.length === 0 ? [] : [{ key, node: { ...node, children } }];
}

/** The fields of the session that a part writes. */
export const keysIn = (child: Child): readonly string[] =>
  child.key === "" && child.node.kind === "json"
    ? (child.node.fields ?? [])
    : namedNodes(child).map(([key]) => key);

/** The fields that the schema describes, to be read; what would be too many is left to their values. */
export function readOnlyNodes(
  schema: JsonObject | null,
  fields: Fields,
): ReadonlyMap<string, FormNode> {
  const node = schema === null ? null : resolveSchema(schema, schema);
  if (schema === null || node === null) return new Map();
  const place = { name: "f", label: "", isRequired: true, value: fields as JsonObject };
  const children = buildDeepest((depth) => {
    const build: BuildContext = {
      root: schema,
      texts: null,
      language: "en",
      budget: newFormBudget(),
      isReadOnly: true,
    };
    return groupChildren(build, schema, node, { ...place, depth });
  });
  return new Map((children ?? []).flatMap(namedNodes));
}

/** A field that no schema describes: a text, unless something else is there. */
function freeNode(
  build: BuildContext,
  name: string,
  value: Json | undefined,
  { hasSchema, isRequired }: { readonly hasSchema: boolean; readonly isRequired: boolean },
): FormNode {
  const isText = !hasSchema && (value === undefined || typeof value === "string");
  const schema = isText ? { type: "string", maxLength: LIMITS.textLength } : {};
  const label = name === ANSWER_FIELD && !hasSchema ? "" : labelFor(name);
  return buildNode(build, schema, {
    name: childName("f", name),
    label,
    isRequired,
    value,
    depth: 1,
    field: name,
  });
}

/** HTML has no NUL and no half of a character, and makes every line break one of its own. */
const isTypeable = (text: string): boolean => !/[\0\r]/.test(text) && text.isWellFormed();

/** As it is if its texts give back exactly its value, else as JSON. */
function exactOrJson({ root }: BuildContext, child: Child, fields: Fields): Child {
  const { key, node } = child;
  const value = own(fields, key);
  if (key === "" || value === undefined || node.kind === "file" || node.kind === "fixed")
    return child;
  const texts = textsOf(node, value);
  const again = readNode({ root, texts }, node, value);
  const isSame = again !== undefined && canonicalJson(again) === canonicalJson(value);
  if (isSame && [...texts.values()].every(isTypeable)) return child;
  const { name, label, help, isRequired, section } = node;
  const begins = section === undefined ? {} : { section };
  return { key, node: { kind: "json", name, label, help, isRequired, ...begins } };
}

/** The fields that a problem at one of these inputs is about. */
export function fieldsOfInputs(
  children: readonly Child[],
  inputs: Iterable<string>,
): ReadonlySet<string> {
  const names = [...inputs];
  const parts = children.flatMap(namedNodes);
  return new Set(
    parts.filter(([, node]) => names.some((name) => isInputOf(node, name))).map(([key]) => key),
  );
}

/**
 * The texts that a form shows: what was typed in the parts that the person changed, elsewhere what is
 * there now. A box that is not ticked sends nothing, so a part is taken as a whole.
 */
export function textsFor(
  { children }: FormModel,
  fields: Fields,
  typed: Texts | null,
  touched: ReadonlySet<string> | null,
): Texts {
  const texts = new Map<string, string>();
  for (const child of children) {
    const { key, node } = child;
    const isTouched =
      typed !== null && (touched === null || keysIn(child).some((one) => touched.has(one)));
    const value = key === "" ? (fields as JsonObject) : own(fields, key);
    const shown = isTouched
      ? [...typed].filter(([name]) => isInputOf(node, name))
      : textsOf(node, value);
    for (const [name, text] of shown) texts.set(name, text);
  }
  return texts;
}

/**
 * The parts that a long form is read in. A field with `x-baton.section` begins one, and the fields
 * after it belong to it. With `x-baton.steps` at the root each part is a step of its own, and so is
 * each group of fields.
 */
interface Section {
  /** Null where nothing names it. */
  readonly title: string | null;
  readonly children: readonly Child[];
}

export const hasSteps = (root: JsonObject): boolean => own(hintsOf(root), "steps") === true;

export function sectionsIn(root: JsonObject, children: readonly Child[]): readonly Section[] {
  const isStepped = hasSteps(root);
  const sections: { title: string | null; children: Child[]; isGroup: boolean }[] = [];
  for (const child of children) {
    const { section, kind } = child.node;
    const isGroup = isStepped && section === undefined && kind === "group";
    const last = sections.at(-1);
    const isNew =
      last === undefined ||
      isGroup ||
      (section !== undefined && section !== last.title) ||
      (section === undefined && last.isGroup && child.key !== "");
    if (isNew) sections.push({ title: section ?? null, children: [child], isGroup });
    else last.children.push(child);
  }
  return sections;
}
