/**
 * The parts of a form, as data: what a person is given to answer a value with. Made from a schema and
 * the value that is there (`build.ts`), filled with texts (`texts.ts`), drawn (`draw.tsx`) and read
 * back (`read.ts`). Nothing here knows HTML or a language.
 */
import type { FileRule } from "../../domain/files/file-rule";
import type { Json, JsonObject } from "../../domain/json";

interface NodeBase {
  /** The name of the input; those inside of it begin with it. */
  readonly name: string;
  readonly label: string;
  readonly help: string | null;
  readonly isRequired: boolean;
  /** Kept apart from the session: it can be written, and what is there is not shown. */
  readonly isPrivate?: true;
  /** The part of the form that begins with it (`x-baton.section`). */
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
  /** What is filled in where there is no value yet. */
  readonly initial?: Json;
}

interface NumberNode extends TextNodeBase {
  readonly kind: "number" | "integer";
  /** How it is written and read. */
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
  /** What is filled in where there is no value yet. */
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

/** A box to tick: a consent, or a switch that has a default. */
interface CheckNode extends NodeBase {
  readonly kind: "check";
  /** Only yes will do. */
  readonly isConsent: boolean;
  readonly initial?: Json;
}

/** A value that nobody chooses: a constant, or one that is only to be read. */
interface FixedNode extends NodeBase {
  readonly kind: "fixed";
  readonly value: Json | undefined;
  /** Part of the answer by itself. */
  readonly isConstant: boolean;
  /** What is only to be read, in the words of its schema. */
  readonly read?: FormNode;
}

export interface GroupNode extends NodeBase {
  readonly kind: "group";
  readonly children: readonly Child[];
  /** The parts are the items of a list, by their place. */
  readonly isTuple?: true;
}

export interface Child {
  readonly key: string;
  readonly node: FormNode;
}

/** Children that belong to the object around them, as long as a condition holds. */
export interface ConditionalNode extends NodeBase {
  readonly kind: "when";
  /** The condition, held against the object around it. */
  readonly condition: JsonObject;
  readonly isElse: boolean;
  /** The same where it is simple enough to be seen: an input has one of these texts. */
  readonly inputMatches: readonly InputMatch[] | null;
  readonly children: readonly Child[];
}

export interface InputMatch {
  readonly name: string;
  readonly label: string;
  /** Empty: anything at all. */
  readonly texts: readonly string[];
  readonly labels: readonly string[];
}

export interface ListNode extends NodeBase {
  readonly kind: "list";
  readonly rows: readonly FormNode[];
  /** A row whose place is not known yet: `ROW` stands for it in its name. */
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

/** First which, then what. The chosen one's parts may belong to the object around it. */
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
  /** Set where it stands for several fields, each under its name. */
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

/** The parts right inside of a part, in the order of the form. */
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

/** Each part of an object by its name, also those that apply only sometimes. */
export function namedNodes({ key, node }: Child): readonly (readonly [string, FormNode])[] {
  if (key !== "") return [[key, node]];
  if (node.kind === "when") return node.children.flatMap(namedNodes);
  if (node.kind !== "variants") return [];
  return node.options.flatMap((option) =>
    option.node.kind === "group" ? option.node.children.flatMap(namedNodes) : [],
  );
}

/** Is this input one of the part with that name? */
export const isInputOf = ({ name }: Pick<FormNode, "name">, input: string): boolean =>
  input === name || (input.startsWith(name) && /^[/=@]/.test(input.slice(name.length)));

/** Stands for the place of a row in the names of a template. */
export const ROW_PLACEHOLDER = "__row__";

/** Texts of the inputs, by name. */
export type Texts = ReadonlyMap<string, string>;

/** One input, or the box of one option. */
export const optionName = (name: string, index: number): string => `${name}=${index}`;
export const keyName = (name: string): string => `${name}@key`;
export const childName = (name: string, part: string): string =>
  `${name}/${encodeURIComponent(part)}`;
/** Where a local time is, as an offset from UTC. */
export const zoneName = (name: string): string => `${name}@zone`;
export const variantName = (name: string, index: number): string => `${name}/@${index}`;
