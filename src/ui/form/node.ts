/**
 * The nodes of a form, as data. They are built from a schema and the current value (`build.ts`), filled
 * with texts (`texts.ts`), drawn (`draw.tsx`) and read back (`read.ts`). This file must not depend on
 * HTML or a language.
 */
import type { FileRule } from "../../domain/files/file-rule";
import type { Json, JsonObject } from "../../domain/json";

interface NodeBase {
  /** The name of the input. The names of inner inputs start with it. */
  readonly name: string;
  readonly label: string;
  readonly help: string | null;
  readonly isRequired: boolean;
  /** Stored apart from the session, and not kept by the browser. */
  readonly isPrivate?: true;
  /** The section that starts with this node (`x-baton.section`). */
  readonly section?: string;
}

export type TextKind =
  | "text"
  | "long"
  | "markdown"
  | "email"
  | "url"
  | "tel"
  | "color"
  | "password"
  | "date"
  | "time"
  | "date-time"
  | "number"
  | "integer";

interface TextNodeBase extends NodeBase {
  readonly min?: number;
  readonly max?: number;
  readonly isMinExclusive?: true;
  readonly isMaxExclusive?: true;
  readonly step?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly example?: string;
  readonly unit?: string;
  /** Filled in if there is no value yet. */
  readonly initial?: Json;
}

interface NumberNode extends TextNodeBase {
  readonly kind: "number" | "integer";
  /** The language in which it is written and read. */
  readonly language: string;
}

interface PlainNode extends TextNodeBase {
  readonly kind: Exclude<TextKind, NumberNode["kind"]>;
}

export type TextNode = PlainNode | NumberNode;

export interface Option {
  readonly value: Json;
  readonly label: string;
  readonly help: string | null;
}

export interface ChoiceNode extends NodeBase {
  readonly kind: "choice";
  readonly options: readonly Option[];
  /** Filled in if there is no value yet. */
  readonly initial?: Json;
}

/** Several of the options. */
export interface MultiChoiceNode extends NodeBase {
  readonly kind: "many";
  readonly options: readonly Option[];
  readonly min?: number;
  readonly max?: number;
  readonly initial?: Json;
}

/** A checkbox: a consent, or a boolean that has a default. */
interface CheckNode extends NodeBase {
  readonly kind: "check";
  /** Only a ticked box is valid. */
  readonly isConsent: boolean;
  readonly initial?: Json;
}

/** A value that cannot be changed: a constant, or a read-only value. */
interface FixedNode extends NodeBase {
  readonly kind: "fixed";
  readonly value: Json | undefined;
  /** The value is always part of the answer. */
  readonly isConstant: boolean;
  /** The node that shows a read-only value. */
  readonly read?: FormNode;
}

export interface GroupNode extends NodeBase {
  readonly kind: "group";
  readonly children: readonly Child[];
  /** The children are the items of a list, by index. */
  readonly isTuple?: true;
}

export interface Child {
  readonly key: string;
  readonly node: FormNode;
}

/** Children of the surrounding object that apply only while a condition holds. */
export interface ConditionalNode extends NodeBase {
  readonly kind: "when";
  /** The schema that the surrounding object must match. */
  readonly condition: JsonObject;
  readonly isElse: boolean;
  /** The condition as texts of single inputs, if it is simple enough. */
  readonly inputMatches: readonly InputMatch[] | null;
  readonly children: readonly Child[];
}

export interface InputMatch {
  readonly name: string;
  readonly label: string;
  /** If empty, any text matches. */
  readonly texts: readonly string[];
  readonly labels: readonly string[];
}

export interface ListNode extends NodeBase {
  readonly kind: "list";
  readonly rows: readonly FormNode[];
  /** A new row. Its name has `ROW_PLACEHOLDER` instead of an index. */
  readonly template: FormNode;
  readonly min: number;
  readonly max: number;
  readonly initial?: Json;
}

export interface MapNode extends NodeBase {
  readonly kind: "map";
  readonly rows: readonly FormNode[];
  readonly template: FormNode;
  readonly min: number;
  readonly max: number;
}

/** A choice of one of several shapes. The parts of the chosen one may belong to the surrounding object. */
export interface VariantsNode extends NodeBase {
  readonly kind: "variants";
  readonly options: readonly Variant[];
  readonly chosen: number | null;
}

export interface Variant {
  readonly label: string;
  readonly help: string | null;
  readonly schema: JsonObject;
  readonly node: FormNode;
}

export interface FileNode extends NodeBase {
  readonly kind: "file";
  readonly field: string;
  readonly rule: FileRule;
  readonly isMany: boolean;
  readonly maxItems?: number;
}

export interface JsonNode extends NodeBase {
  readonly kind: "json";
  /** Set if the box holds several fields, each under its name. */
  readonly fields?: readonly string[];
}

export type FormNode =
  | TextNode
  | ChoiceNode
  | MultiChoiceNode
  | CheckNode
  | FixedNode
  | GroupNode
  | ConditionalNode
  | ListNode
  | MapNode
  | VariantsNode
  | FileNode
  | JsonNode;

/** The direct children of a node, in the order of the form. */
export function childNodes(node: FormNode): readonly FormNode[] {
  switch (node.kind) {
    case "group":
    case "when":
      return node.children.map((child) => child.node);
    case "list":
    case "map":
      return node.rows;
    case "variants":
      return node.options.map((option) => option.node);
    default:
      return [];
  }
}

/** Each child of an object with its key, including conditional ones. */
export function namedNodes({ key, node }: Child): readonly (readonly [string, FormNode])[] {
  if (key !== "") return [[key, node]];
  if (node.kind === "when") return node.children.flatMap(namedNodes);
  if (node.kind !== "variants") return [];
  return node.options.flatMap((option) =>
    option.node.kind === "group" ? option.node.children.flatMap(namedNodes) : [],
  );
}

/** Whether the input belongs to this node. */
export const isInputOf = ({ name }: Pick<FormNode, "name">, input: string): boolean =>
  input === name || (input.startsWith(name) && /^[/=@]/.test(input.slice(name.length)));

/** Replaces the index of a row in the names of a template. */
export const ROW_PLACEHOLDER = "__row__";

/** Texts of the inputs by name. */
export type Texts = ReadonlyMap<string, string>;

/** The checkbox of one option. */
export const optionName = (name: string, index: number): string => `${name}=${index}`;
export const keyName = (name: string): string => `${name}@key`;
export const childName = (name: string, part: string): string =>
  `${name}/${encodeURIComponent(part)}`;
/** The input for the UTC offset of a local time. */
export const zoneName = (name: string): string => `${name}@zone`;
export const variantName = (name: string, index: number): string => `${name}/@${index}`;
