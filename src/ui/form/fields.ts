/**
 * The form model of a session: the requested fields, with a limited number of inputs. A value that its
 * inputs would not return exactly is edited as JSON.
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
  /** The language in which its numbers are written and read. */
  readonly language: string;
  readonly root: JsonObject;
  readonly children: readonly Child[];
}

interface FormModelInput {
  readonly schema: JsonObject | null;
  readonly fields: Fields;
  /** The language of the page. */
  readonly language: string;
  /** Null for all fields of the schema, or for the single answer if there is no schema. */
  readonly ask: readonly string[] | null;
  /** Fields that are only shown, so the form does not contain them. */
  readonly show: readonly string[];
  readonly texts?: Texts | null;
}

/** As deep as the number of inputs allows. If there are too many fields, the last ones become one JSON box. */
export function formModel(pageInput: FormModelInput): FormModel {
  const language = formLanguage(pageInput);
  const input = { ...pageInput, language };
  const root = input.schema ?? {};
  const requested = requestedFields(input);
  const whole = buildDeepest((depth) => childrenAtDepth(input, requested, depth));
  if (whole !== null) return { root, language, children: whole };
  const drawn = requested.slice(0, LIMITS.formInputs - 1);
  const rest = requested.slice(drawn.length);
  return {
    root,
    language,
    children: [...childrenAtDepth(input, drawn, 1), remainingFieldsBox(rest)],
  };
}

/** Null if there are too many inputs at every depth. */
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

/** A form is read in the language that it was drawn in, even if the person has chosen another one since. */
function formLanguage({ language, texts }: FormModelInput): string {
  const drawn = texts?.get("language") ?? "";
  return Object.hasOwn(LANGUAGES, drawn) ? drawn : language;
}

/** One JSON box for all remaining fields. */
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
  input: FormModelInput,
  requested: readonly string[],
  depth: number,
): readonly Child[] {
  const { schema, fields } = input;
  const root = schema ?? {};
  const { language, texts = null } = input;
  const build: BuildContext = { root, language, texts, budget: newFormBudget() };
  const node = resolveSchema(root, root) ?? {};
  const named = Object.keys(objectOf(own(node, "properties")) ?? {});
  const slot = { name: "f", label: "", isRequired: true, value: fields as JsonObject, depth };
  const requestedSet = new Set(requested);
  const without = new Set(named.filter((name) => !requestedSet.has(name)));
  const all = (schema === null ? null : groupChildren(build, root, node, slot, without)) ?? [];
  const isRequested = (name: string): boolean =>
    input.ask === null ? !input.show.includes(name) : input.ask.includes(name);
  const described = all.flatMap((child) => narrowChild(child, isRequested));
  const drawn = new Set([...named, ...all.flatMap(keysIn)]);
  const free = requested
    .filter((name) => !drawn.has(name))
    .map(
      (name): Child => ({
        key: name,
        node: freeNode(build, name, own(fields, name), {
          hasSchema: schema !== null,
          // Without a schema one answer is required. If there is only one box, it is that one.
          isRequired: schema === null && requested.length === 1,
        }),
      }),
    );
  return [...described, ...free].map((child) => exactOrJson(build, child, fields));
}

/** The requested children of a part. Variants are kept only if all their fields are requested. */
function narrowChild(child: Child, isRequested: (name: string) => boolean): readonly Child[] {
  const { key, node } = child;
  if (key !== "") return isRequested(key) ? [child] : [];
  if (node.kind !== "when") return keysIn(child).every(isRequested) ? [child] : [];
  const children = node.children.flatMap((one) => narrowChild(one, isRequested));
  return children.length === 0 ? [] : [{ key, node: { ...node, children } }];
}

/** The fields of the session that a child writes. */
export const keysIn = (child: Child): readonly string[] =>
  child.key === "" && child.node.kind === "json"
    ? (child.node.fields ?? [])
    : namedNodes(child).map(([key]) => key);

/** Nodes that show the fields of the schema. Empty if there would be too many inputs. */
export function readOnlyNodes(
  schema: JsonObject | null,
  fields: Fields,
): ReadonlyMap<string, FormNode> {
  const node = schema === null ? null : resolveSchema(schema, schema);
  if (schema === null || node === null) return new Map();
  const slot = { name: "f", label: "", isRequired: true, value: fields as JsonObject };
  const children = buildDeepest((depth) => {
    const build: BuildContext = {
      root: schema,
      texts: null,
      language: "en",
      budget: newFormBudget(),
      isReadOnly: true,
    };
    return groupChildren(build, schema, node, { ...slot, depth });
  });
  return new Map((children ?? []).flatMap(namedNodes));
}

/** A field that no schema describes: a text, unless its value is something else. */
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

/** HTML inputs drop NUL and lone surrogates, and rewrite carriage returns. */
const isTypeable = (text: string): boolean => !/[\0\r]/.test(text) && text.isWellFormed();

/** The child itself if its texts return its exact value, else a JSON box. */
function exactOrJson({ root }: BuildContext, child: Child, fields: Fields): Child {
  const { key, node } = child;
  const value = own(fields, key);
  if (key === "" || value === undefined || node.kind === "file" || node.kind === "fixed")
    return child;
  const texts = textsOf(node, value);
  const readBack = readNode({ root, texts }, node, value);
  const isSame = readBack !== undefined && canonicalJson(readBack) === canonicalJson(value);
  if (isSame && [...texts.values()].every(isTypeable)) return child;
  const { name, label, help, isRequired, section } = node;
  const sectionProps = section === undefined ? {} : { section };
  return { key, node: { kind: "json", name, label, help, isRequired, ...sectionProps } };
}

/** The fields that these inputs belong to. */
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
 * The texts that a form shows: the typed ones for the fields that the person changed, the current values
 * for the others. An unticked checkbox sends nothing, so each field is taken as a whole.
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
 * A section of a long form. A field with `x-baton.section` starts one, and the fields after it belong to
 * it. With `x-baton.steps` at the root, each section and each group of fields is a step.
 */
interface Section {
  /** Null if no field names it. */
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
