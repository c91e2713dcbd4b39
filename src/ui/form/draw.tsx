/** Draws the nodes of a form as HTML that works without a script. The renderer escapes all text. */
import type { FileRule } from "../../domain/files/file-rule";
import { own, type Json } from "../../domain/json";
import { bytesText } from "../text";
import type { Words } from "../words/en";
import type { Reader } from "../words/index";
import { Checkboxes, Radios, Select } from "./draw-choices";
import { Files } from "./draw-files";
import { Rows } from "./draw-rows";
import { ReadValue } from "./draw-value";
import { TextInput } from "./draw-text";
import { Variants, ConditionalParts } from "./draw-variants";
import type { FormNode, TextNode, Texts } from "./node";
import { objectOf } from "./schema";

export interface DrawContext extends Reader {
  readonly texts: Texts;
  readonly errors: ReadonlyMap<string, string>;
  /** The path of file downloads. */
  readonly downloads: string;
  /** Inside a group that can be left empty as a whole. */
  readonly isInOptionalPart?: boolean;
}

export interface DrawProps<T extends FormNode = FormNode> {
  readonly node: T;
  readonly context: DrawContext;
  /** The current value, for files and read-only parts. */
  readonly value?: Json | undefined;
}

/** More options than this become a select list. */
const MAX_RADIOS = 6;

export function Draw({ node, context, value }: DrawProps) {
  switch (node.kind) {
    case "group":
      return (
        <Fieldset node={node} context={context}>
          {node.children.map((child) => (
            <Draw
              node={child.node}
              context={isOptionalPart(node) ? { ...context, isInOptionalPart: true } : context}
              value={own(objectOf(value) ?? {}, child.key)}
            />
          ))}
        </Fieldset>
      );
    case "when":
      return <ConditionalParts node={node} context={context} />;
    case "list":
    case "map":
      return <Rows node={node} context={context} />;
    case "variants":
      return <Variants node={node} context={context} />;
    case "choice":
      return node.options.length > MAX_RADIOS ? (
        <Select node={node} context={context} />
      ) : (
        <Radios node={node} context={context} />
      );
    case "many":
      return <Checkboxes node={node} context={context} />;
    case "check":
      return (
        <div class={classOf(node, context)}>
          <label class="option">
            <input
              type="checkbox"
              id={node.name}
              name={node.name}
              value="true"
              checked={["true", "on"].includes(context.texts.get(node.name) ?? "")}
              {...describedBy(node, context)}
            />{" "}
            <span>
              <Title node={node} context={context} />
            </span>
          </label>
          <Notes node={node} context={context} />
        </div>
      );
    case "fixed":
      return (
        <div class="control">
          <p class="label">
            <bdi>{node.label}</bdi>
          </p>
          <ReadValue
            node={node.read ?? null}
            value={node.isConstant ? node.value : value}
            reader={context}
            downloads={context.downloads}
          />
          {node.help !== null && <p class="help">{node.help}</p>}
        </div>
      );
    case "file":
      return <Files node={node} context={context} value={value} />;
    default:
      return (
        <Labelled node={node} context={context}>
          <TextInput node={node} context={context} />
        </Labelled>
      );
  }
}

export const labelOf = (node: FormNode, { words }: DrawContext): string =>
  node.label === "" ? words.page.answer : node.label;

/** One input below its label, help and error. */
export function Labelled({ node, context, children }: DrawProps & { readonly children?: unknown }) {
  return (
    <div class={classOf(node, context)}>
      <label for={node.name}>
        <Title node={node} context={context} />
      </label>
      <Notes node={node} context={context} />
      {children as never}
    </div>
  );
}

const classOf = (node: FormNode, { errors }: DrawContext): string =>
  errors.has(node.name) ? "control wrong" : "control";

/** A label has the text direction of its own language. */
function Title({ node, context }: DrawProps) {
  return (
    <>
      <bdi>{labelOf(node, context)}</bdi>{" "}
      {node.isRequired && <span class="required">{requiredText(context)}</span>}
    </>
  );
}

const requiredText = ({ words: { page }, isInOptionalPart }: DrawContext): string =>
  isInOptionalPart === true ? page.requiredInPart : page.required;

/** The attributes for screen readers. */
export const aria = (node: FormNode, context: DrawContext): Record<string, string> => ({
  ...describedBy(node, context),
  ...(context.errors.has(node.name) ? { "aria-invalid": "true" } : {}),
});

function describedBy(node: FormNode, context: DrawContext): Record<string, string> {
  const ids = [
    ...(context.errors.has(node.name) ? [`${node.name}-error`] : []),
    ...(helpTexts(node, context).length === 0 ? [] : [`${node.name}-help`]),
  ];
  return ids.length === 0 ? {} : { "aria-describedby": ids.join(" ") };
}

/** Help and error come before the input, so that a screen reader reads them first. */
function Notes({ node, context }: DrawProps) {
  const helps = helpTexts(node, context);
  const error = context.errors.get(node.name);
  return (
    <>
      {helps.length > 0 && (
        <p class="help" id={`${node.name}-help`}>
          {helps.join(" ")}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={`${node.name}-error`}>
          {error}
        </p>
      )}
    </>
  );
}

function helpTexts(node: FormNode, { words, format, amount }: DrawContext): readonly string[] {
  const { page } = words;
  const helps = node.help === null ? [] : [node.help];
  if (node.isPrivate === true) helps.push(page.private);
  if (node.isPrivate === true || node.kind === "password") helps.push(page.notKept);
  if (node.kind === "many") helps.push(page.many);
  if (node.kind === "json") helps.push(page.json);
  if (node.kind === "markdown") helps.push(page.markdown);
  if (node.kind === "number" || node.kind === "integer") {
    helps.push(...boundTexts(node, words, amount));
  }
  if (isOptionalPart(node)) helps.push(page.optionalPart);
  if ("step" in node && node.step !== undefined && !isDecimalPlace(node.step)) {
    helps.push(page.steps(amount(node.step)));
  }
  if ("example" in node && node.example !== undefined) helps.push(page.example(node.example));
  if ("initial" in node && node.initial !== undefined) helps.push(page.preset);
  if (node.kind === "file") {
    helps.push(page.fileLimit(bytesText(node.rule.maxBytes, words, format)));
    if (node.maxItems !== undefined) helps.push(page.fileCount(format(node.maxItems)));
    if (node.rule.accept.length > 0) helps.push(page.fileTypes(typesText(node.rule, words)));
  }
  return helps;
}

/** A required field inside it is required only if any part of it is answered. */
const isOptionalPart = (node: FormNode): boolean =>
  node.kind === "group" &&
  !node.isRequired &&
  !/\/(?:\d+|__row__)$/.test(node.name) &&
  node.children.some((child) => child.node.isRequired);

/** Steps such as cents need no help text. */
const isDecimalPlace = (step: number): boolean => step <= 1 && Number.isInteger(Math.log10(step));

/** An exclusive bound gets a text of its own. */
function boundTexts(
  { min, max, isMinExclusive, isMaxExclusive }: TextNode,
  { page, errors }: Words,
  format: (number: number) => string,
): readonly string[] {
  const [low, high] = [isMinExclusive ? undefined : min, isMaxExclusive ? undefined : max];
  const helps: string[] = [];
  if (low !== undefined && high !== undefined) helps.push(page.between(format(low), format(high)));
  else if (low !== undefined && low !== 0) helps.push(page.atLeast(format(low)));
  else if (high !== undefined) helps.push(page.atMost(format(high)));
  if (isMinExclusive && min !== undefined) helps.push(errors.over(format(min)));
  if (isMaxExclusive && max !== undefined) helps.push(errors.under(format(max)));
  return helps;
}

export const typesText = ({ accept }: FileRule, { page }: Words): string =>
  accept
    .map((type) => (type === "image/*" ? page.photos : (type.split("/")[1] ?? type).toUpperCase()))
    .join(", ");

export function Fieldset({
  node,
  context,
  children,
  list,
}: DrawProps & { readonly children?: unknown; readonly list?: string }) {
  return (
    <fieldset
      id={node.name}
      class={context.errors.has(node.name) ? "wrong" : ""}
      tabindex={-1}
      {...describedBy(node, context)}
      {...(list === undefined ? {} : { "data-list": list })}
    >
      <legend>
        <Title node={node} context={context} />
      </legend>
      <Notes node={node} context={context} />
      {children as never}
    </fieldset>
  );
}
