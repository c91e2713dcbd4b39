/** Choices: radio buttons, select lists and checkboxes. */
import type { Child } from "hono/jsx";
import { canonicalJson } from "../../domain/json";
import type { Words } from "../words/en";
import { aria, Fieldset, Labelled, type DrawProps } from "./draw";
import { optionName, type ChoiceNode, type MultiChoiceNode, type Option } from "./node";

/** Yes and no are translated by the page. */
export function optionLabel(option: Option, words: Words): string {
  if (option.value === true && option.label === "yes") return words.page.yes;
  return option.value === false && option.label === "no" ? words.page.no : option.label;
}

interface OptionInputProps {
  readonly kind: "radio" | "checkbox";
  readonly name: string;
  readonly id?: string;
  readonly value?: string;
  readonly isChosen: boolean;
  readonly help?: string | null;
  readonly required?: boolean;
  readonly children?: Child;
}

/** One option. The whole line can be tapped. */
export function OptionInput({
  kind,
  name,
  id,
  value,
  isChosen,
  help,
  required,
  children,
}: OptionInputProps) {
  return (
    <label class="option">
      <input
        type={kind}
        name={name}
        {...(id === undefined ? {} : { id })}
        {...(value === undefined ? {} : { value })}
        checked={isChosen}
        required={required === true}
      />{" "}
      <span>
        <bdi>{children}</bdi>
        {help != null && <span class="help"> {help}</span>}
      </span>
    </label>
  );
}

export function Radios({ node, context }: DrawProps<ChoiceNode>) {
  const text = context.texts.get(node.name) ?? "";
  return (
    <Fieldset node={node} context={context}>
      {node.options.map((option, index) => (
        <OptionInput
          kind="radio"
          name={node.name}
          id={optionName(node.name, index)}
          value={canonicalJson(option.value)}
          isChosen={canonicalJson(option.value) === text}
          help={option.help}
        >
          {optionLabel(option, context.words)}
        </OptionInput>
      ))}
      {!node.isRequired && (
        <OptionInput kind="radio" name={node.name} value="" isChosen={text === ""}>
          {context.words.page.none}
        </OptionInput>
      )}
    </Fieldset>
  );
}

export function Select({ node, context }: DrawProps<ChoiceNode>) {
  const text = context.texts.get(node.name) ?? "";
  return (
    <Labelled node={node} context={context}>
      <select id={node.name} name={node.name} {...aria(node, context)}>
        <option value="">{context.words.page.choose}</option>
        {node.options.map((option) => (
          <option
            value={canonicalJson(option.value)}
            selected={canonicalJson(option.value) === text}
          >
            {optionLabel(option, context.words)}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

export function Checkboxes({ node, context }: DrawProps<MultiChoiceNode>) {
  return (
    <Fieldset node={node} context={context}>
      {node.options.map((option, index) => (
        <OptionInput
          kind="checkbox"
          name={optionName(node.name, index)}
          isChosen={context.texts.has(optionName(node.name, index))}
          help={option.help}
        >
          {option.label}
        </OptionInput>
      ))}
    </Fieldset>
  );
}
