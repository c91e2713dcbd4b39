/** Choices: radio buttons, a list to choose from, boxes to tick. */
import type { Child } from "hono/jsx";
import { canonicalJson } from "../../domain/json";
import type { Words } from "../words/en";
import { aria, Fieldset, Labelled, type Drawn } from "./draw";
import { optionName, type ChoiceNode, type ManyNode, type Option } from "./node";

/** Yes and no are words of the page. */
export function optionLabel(option: Option, words: Words): string {
  if (option.value === true && option.label === "yes") return words.page.yes;
  return option.value === false && option.label === "no" ? words.page.no : option.label;
}

interface PickProps {
  readonly kind: "radio" | "checkbox";
  readonly name: string;
  readonly id?: string;
  readonly value?: string;
  readonly isChosen: boolean;
  readonly help?: string | null;
  readonly required?: boolean;
  readonly children?: Child;
}

/** One thing to choose: the whole line is what a finger hits. */
export function Pick({ kind, name, id, value, isChosen, help, required, children }: PickProps) {
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

export function Radios({ node, drawing }: Drawn<ChoiceNode>) {
  const text = drawing.texts.get(node.name) ?? "";
  return (
    <Fieldset node={node} drawing={drawing}>
      {node.options.map((option, index) => (
        <Pick
          kind="radio"
          name={node.name}
          id={optionName(node.name, index)}
          value={canonicalJson(option.value)}
          isChosen={canonicalJson(option.value) === text}
          help={option.help}
        >
          {optionLabel(option, drawing.words)}
        </Pick>
      ))}
      {!node.isRequired && (
        <Pick kind="radio" name={node.name} value="" isChosen={text === ""}>
          {drawing.words.page.none}
        </Pick>
      )}
    </Fieldset>
  );
}

export function Select({ node, drawing }: Drawn<ChoiceNode>) {
  const text = drawing.texts.get(node.name) ?? "";
  return (
    <Labelled node={node} drawing={drawing}>
      <select id={node.name} name={node.name} {...aria(node, drawing)}>
        <option value="">{drawing.words.page.choose}</option>
        {node.options.map((option) => (
          <option
            value={canonicalJson(option.value)}
            selected={canonicalJson(option.value) === text}
          >
            {optionLabel(option, drawing.words)}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

export function Many({ node, drawing }: Drawn<ManyNode>) {
  return (
    <Fieldset node={node} drawing={drawing}>
      {node.options.map((option, index) => (
        <Pick
          kind="checkbox"
          name={optionName(node.name, index)}
          isChosen={drawing.texts.has(optionName(node.name, index))}
          help={option.help}
        >
          {option.label}
        </Pick>
      ))}
    </Fieldset>
  );
}
